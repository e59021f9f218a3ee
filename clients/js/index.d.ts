import type { Client } from "openapi-fetch";
import type { components, paths } from "./api.js";

export type { components, paths };
export type Memory = components["schemas"]["Memory"];

export interface Options {
  /** The server's address, as `http://127.0.0.1:8787`. */
  url: string;
  /** The admin token, an access key, or a token of a person's own. */
  token: string;
  fetch?: typeof globalThis.fetch;
}

export interface MemoryEvent {
  /** Its place in the user's events: send it as `lastEventId` to go on behind it. */
  id: string;
  type:
    | "memory.remembered"
    | "memory.replaced"
    | "memory.corrected"
    | "memory.forgotten"
    | "memory.undone"
    | "memory.erased"
    | "user.erased";
  timestamp: string;
  data: {
    id: string;
    user_id: string;
    project: string | null;
    memory_id: string | null;
    gone: string[];
    kind: string | null;
    actor: string | null;
    reason: string | null;
    session_id: string | null;
  };
}

export interface StreamOptions {
  project?: string;
  lastEventId?: string;
  signal?: AbortSignal;
}

export declare class RecollectError extends Error {
  status: number;
  code?: string;
  field?: string | null;
}

/** Every call throws a `RecollectError` if the server refuses it. */
export declare function createRecollect(
  options: Options,
): Client<paths> & { events(userId: string, options?: StreamOptions): AsyncGenerator<MemoryEvent> };
