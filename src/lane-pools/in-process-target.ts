import { userError } from "../lane/index.ts";
import { SeqqaError } from "../model/errors.ts";
import type { Lane } from "../model/declare/lane.ts";
import type { StoreAdapter } from "../model/stores/store-adapter.ts";

/** Possible results of the function `createTarget(lane)` in the user's `target.module`. */
type InProcessTarget =
  | ((request: Request) => Response | Promise<Response>)
  | { readonly fetch: (request: Request) => Response | Promise<Response>; readonly close?: () => unknown }
  | HttpServer;

interface HttpServer {
  listen(port: number, host: string, done: () => void): unknown;
  address(): { readonly port: number } | string | null;
  close(done?: () => void): unknown;
  closeAllConnections?(): void;
}

/** A target that runs in this thread. */
export interface RunningTarget {
  readonly baseUrl: string;
  readonly fetch: ((request: Request) => Response | Promise<Response>) | undefined;
  readonly close: () => Promise<void>;
  /**
   * The error that was thrown when the module was evaluated again. The target then keeps the memory of an earlier target. `undefined` if there was no
   * error.
   */
  readonly keptMemory?: string | undefined;
}

/** Calls code of the target; see {@link StoreAdapter.callTarget}. */
type Caller = <T>(call: () => T) => T;

interface TargetModule {
  readonly createTarget?: (lane: Lane) => InProcessTarget | Promise<InProcessTarget>;
}

/** The last evaluation of each module, by its URL. */
const evaluated = new Map<string, TargetModule>();
let starts = 0;

/**
 * Starts the target of a lane in this thread. The module is evaluated again, so that the target begins without the memory of an earlier target.
 * Packages in `node_modules` keep their memory. If the second evaluation of a module throws an error, the module keeps its memory, too; see
 * `keptMemory`.
 * @throws SeqqaError `TARGET_MODULE_INVALID` with exit status 2; `TARGET_MODULE_THREW` with exit status 3
 */
export async function startInProcess(module: string, lane: Lane, systems: Readonly<Record<string, StoreAdapter>>): Promise<RunningTarget> {
  const clock = Object.values(systems).find(({ callTarget }) => callTarget !== undefined);
  const inTarget: Caller = clock === undefined ? (call) => call() : (call) => clock.callTarget!(call);
  const running = await inTarget(() => start(module, lane));
  const { fetch } = running;
  if (clock === undefined) return running;
  const close = (): Promise<void> => inTarget(() => running.close());
  if (fetch === undefined) return { ...running, close };
  return { ...running, close, fetch: async (request) => readInTarget(await inTarget(() => fetch(request)), inTarget) };
}

async function start(module: string, lane: Lane): Promise<RunningTarget> {
  const { loaded, keptMemory } = await evaluate(module);
  return { ...(await create(loaded, lane)), keptMemory };
}

async function create(loaded: TargetModule, lane: Lane): Promise<RunningTarget> {
  if (typeof loaded.createTarget !== "function") {
    throw new SeqqaError("TARGET_MODULE_INVALID", "The module that target.module names exports no function createTarget(lane).", {
      exitStatus: 2,
      hint: "Export a function createTarget(lane) that returns a fetch handler, an http.Server or { fetch, close }.",
    });
  }
  let target: InProcessTarget;
  try {
    target = await loaded.createTarget(lane);
  } catch (error) {
    throw userError("TARGET_MODULE_THREW", "The function createTarget(lane) of target.module threw an error", error);
  }
  if (typeof target === "function") return { baseUrl: lane.baseUrl, fetch: target, close: () => Promise.resolve() };
  if ("fetch" in target && typeof target.fetch === "function") {
    return {
      baseUrl: lane.baseUrl,
      fetch: (request) => target.fetch(request),
      close: async () => {
        await target.close?.();
      },
    };
  }
  if ("listen" in target && typeof target.listen === "function") return listen(target);
  throw new SeqqaError(
    "TARGET_MODULE_INVALID",
    "The function createTarget(lane) of target.module returned neither a fetch handler, nor an http.Server, nor { fetch, close }.",
    { exitStatus: 2, hint: "Return for example app.fetch, or http.createServer(app)." },
  );
}

async function evaluate(module: string): Promise<{ readonly loaded: TargetModule } & Pick<RunningTarget, "keptMemory">> {
  try {
    // Node evaluates a module once for each URL.
    const loaded = (await import(`${module}?${++starts}`)) as TargetModule;
    evaluated.set(module, loaded);
    return { loaded };
  } catch (error) {
    // Some modules can only be evaluated once, such as a module that registers a metric of a package under a fixed name.
    const before = evaluated.get(module);
    if (before === undefined) throw loadError(error);
    return { loaded: before, keptMemory: error instanceof Error ? error.message : String(error) };
  }
}

/** Converts an error of `import`. Node throws a SyntaxError or an error with this code before code of the module runs. */
function loadError(error: unknown): SeqqaError {
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ERR_MODULE_NOT_FOUND")
    return userError(
      "TARGET_MODULE_THREW",
      "Node did not find a module that target.module imports",
      error,
      "Check the path in the import, or install the package.",
    );
  if (error instanceof SyntaxError)
    return userError(
      "TARGET_MODULE_THREW",
      "Node could not load the module of target.module, because of a SyntaxError",
      error,
      "Correct the syntax. If the message names an export, check the name in the import.",
    );
  return userError(
    "TARGET_MODULE_THREW",
    "The module of target.module threw an error when seqqa loaded it",
    error,
    "Code outside of functions runs when seqqa loads the module. Move code that needs a lane into createTarget(lane).",
  );
}

/** Returns a response whose body is read through `inTarget`, because code of the target may produce the body while it is read. */
function readInTarget(response: Response, inTarget: Caller): Response {
  if (response.body === null || response.body === undefined || response.status < 200) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await inTarget(() => reader.read());
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}

async function listen(server: HttpServer): Promise<RunningTarget> {
  // Call `listen` as code of the target: code that handles connections then runs in the same async context, and sees the target's time.
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new SeqqaError("TARGET_MODULE_INVALID", "The http.Server that createTarget(lane) returns does not listen on a TCP port.", {
      exitStatus: 2,
    });
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    fetch: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections?.();
      }),
  };
}
