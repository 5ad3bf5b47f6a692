// The platform's module, as far as it is used here. Programs have the platform's own types.

declare module 'cloudflare:workers' {
  /** Of the Worker that runs. */
  export const env: unknown;

  export class DurableObject<Env> {
    protected readonly env: Env;
    constructor(context: unknown, env: Env);
    fetch?(request: Request): Promise<Response>;
    alarm?(): Promise<void>;
  }

  export class WorkerEntrypoint<Env> {
    protected readonly env: Env;
    constructor(context: unknown, env: Env);
    fetch?(request: Request): Promise<Response>;
  }
}
