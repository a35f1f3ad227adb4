import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { SeqqaError } from "../model/errors.ts";
import { here, identify, type Place, type ProcessIdentity } from "./process/process-identity.ts";

/**
 * The free space, in bytes, that the folder in memory (`/dev/shm`) must have. Otherwise, it is not used, because filling it would use up the
 * machine's memory.
 */
const MIN_FREE_BYTES = 256 * 1024 * 1024;

/** The process that owns a run, stored in `run-<id>/owner.json`. Later runs read this file to find out if the process still exists. */
export interface Owner extends ProcessIdentity {
  readonly place: Place;
}

/** `run`: a directory for the files of a run. `bundle`: a directory for compiled user code, which needs no target. */
type DirectoryKind = "run" | "bundle";

export class RunDirectory {
  /** The directory `seqqa-<uid>`, shared by all runs of this user. */
  readonly root: string;
  readonly id: string;
  readonly path: string;

  private constructor(root: string, id: string, kind: DirectoryKind) {
    this.root = root;
    this.id = id;
    this.path = join(root, `${kind}-${id}`);
  }

  /** Creates the directory of a run. @throws SeqqaError `TMP_UNUSABLE` with exit status 2 if it cannot be created or belongs to another user */
  static create(base: string, id: string, kind: DirectoryKind = "run"): RunDirectory {
    const root = rootIn(base);
    try {
      mkdirSync(root, { recursive: true, mode: 0o700 });
      const stats = lstatSync(root);
      if (!stats.isDirectory() || stats.uid !== process.getuid?.()) throw new Error("a file or another user's directory has this name");
      chmodSync(root, 0o700);
      const directory = new RunDirectory(root, id, kind);
      directory.#appear();
      return directory;
    } catch (error) {
      throw tmpUnusable(root, error);
    }
  }

  /**
   * Creates a directory for one lane, and removes the earlier directories of this lane. The path contains the generation, because a dying process may
   * still delete files in the earlier directory.
   */
  lane(index: number, generation: number): string {
    const path = join(this.path, `lane-${index}`, String(generation));
    this.removeLane(index);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  removeLane(index: number): void {
    rmSync(join(this.path, `lane-${index}`), { recursive: true, force: true, maxRetries: 5 });
  }

  register(started: ProcessIdentity): void {
    writeFileSync(join(this.path, "processes", `${started.pid}.json`), JSON.stringify(started), { mode: 0o600 });
  }

  unregister(pid: number): void {
    rmSync(join(this.path, "processes", `${pid}.json`), { force: true });
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }

  /**
   * Creates the directory under a temporary name and renames it after its owner file was written, so that every directory with the final name has an
   * owner file.
   */
  #appear(): void {
    const draft = join(this.root, `.new-${process.pid}-${randomBytes(4).toString("hex")}`);
    mkdirSync(join(draft, "processes"), { recursive: true, mode: 0o700 });
    writeFileSync(join(draft, "owner.json"), JSON.stringify(self()), { mode: 0o600 });
    renameSync(draft, this.path);
  }
}

export function tmpUnusable(folder: string, cause: unknown): SeqqaError {
  return new SeqqaError("TMP_UNUSABLE", `seqqa cannot write its temporary files to ${folder}: ${(cause as Error).message}.`, {
    exitStatus: 2,
    hint: "Give your user write access to this directory, and free space on its disk. Or set the environment variable TMPDIR to a directory that your user can write to.",
    cause,
  });
}

/**
 * Returns the temporary folder for runs: the folder in the environment variable TMPDIR. If TMPDIR is not set, returns `/dev/shm`, which is in memory,
 * if it has enough space, or else the system's folder for temporary files.
 */
export function defaultBase(): string {
  if ((process.env["TMPDIR"] ?? "") !== "") return tmpdir();
  try {
    accessSync("/dev/shm", constants.W_OK);
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize >= MIN_FREE_BYTES) return "/dev/shm";
  } catch {
    // This system has no /dev/shm.
  }
  return tmpdir();
}

/** Returns the folders in which earlier runs of this user may have left files. */
export function basesToSweep(base: string | undefined): readonly string[] {
  return base === undefined ? [...new Set(["/dev/shm", tmpdir()])] : [base];
}

export function rootIn(base: string): string {
  return join(base, `seqqa-${process.getuid?.() ?? userInfo().username}`);
}

export function self(): Owner {
  return { ...(identify(process.pid) ?? { pid: process.pid, start: "" }), place: here() };
}

/** Returns the content of a JSON file that seqqa wrote; `undefined` if the file is missing or incomplete. */
export function readRecord<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch {
    return undefined;
  }
}
