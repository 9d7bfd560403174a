/** The local run used in the soak. It is killed without warning and restarted on the same ports and state. */
import { once } from 'node:events';
import { type Child, residentMb, startChild } from '../host.ts';

export class SoakedGateway {
  #child: Child | undefined;
  #ports: readonly string[] = ['0', '0', '0'];
  readonly #args: readonly string[];
  /** Resolves when the gateway responds; callers that lost their connection await it. */
  ready: Promise<void> = Promise.resolve();
  /** Duration of each startup, in milliseconds. */
  readonly starts: number[] = [];
  /** Resident memory before each kill, in MB. */
  readonly memory: number[] = [];

  constructor(config: string, state: string) {
    this.#args = ['--config', config, '--state', state, '--edge-port', '0'];
  }

  get urls(): { readonly gateway: string; readonly admin: string; readonly mcp: string } {
    const ready = this.#child?.ready ?? {};
    return { gateway: String(ready.gateway_url), admin: String(ready.admin_url), mcp: String(ready.mcp_url) };
  }

  async start(): Promise<void> {
    const [gateway, admin, mcp] = this.#ports as [string, string, string];
    const ports = ['--gateway-port', gateway, '--admin-port', admin, '--mcp-port', mcp];
    this.#child = await startChild('bin/local.ts', [...this.#args, ...ports]);
    this.starts.push(this.#child.readyMs);
    this.#ports = Object.values(this.urls).map((url) => new URL(url).port);
  }

  async killAndStart(): Promise<void> {
    const { process } = this.#child!;
    this.memory.push(residentMb(process.pid));
    const ended = once(process, 'exit');
    const again = Promise.withResolvers<void>();
    this.ready = again.promise;
    process.kill('SIGKILL');
    await ended;
    await this.start();
    again.resolve();
  }

  async stop(): Promise<void> {
    await this.#child?.stop();
  }
}
