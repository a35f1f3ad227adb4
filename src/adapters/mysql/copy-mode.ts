export class CopyMode { static open(..._x: unknown[]): never { throw new Error("pending"); } }
