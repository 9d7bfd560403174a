/** Limits the commands that run concurrently on this machine, in total and per key [executor.bounds]. */
import type { ExecutorSettings } from '#core/contracts/config.ts';
import { GatewayError } from '#core/kernel/errors.ts';

type Bounds = Pick<ExecutorSettings['shell'], 'max_concurrent' | 'max_concurrent_per_key'>;

export class CommandSlots {
  readonly #running = new Map<string, number>();

  /**
   * Takes a slot.
   * @returns a function to call when the command has ended.
   * @throws GatewayError `rate_limit_error`.
   */
  take(keyId: string, { max_concurrent, max_concurrent_per_key }: Bounds): () => void {
    const own = this.#running.get(keyId) ?? 0;
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    if (own >= max_concurrent_per_key)
      throw tooMany(`Running commands of this key: ${own}`, 'max_concurrent_per_key', max_concurrent_per_key);
    if (all >= max_concurrent) throw tooMany(`Running commands: ${all}`, 'max_concurrent', max_concurrent);
    this.#running.set(keyId, own + 1);
    return () => {
      const left = (this.#running.get(keyId) ?? 1) - 1;
      if (left > 0) this.#running.set(keyId, left);
      else this.#running.delete(keyId);
    };
  }
}

const tooMany = (found: string, setting: string, allowed: number): GatewayError =>
  new GatewayError(
    'rate_limit_error',
    `${found}; executors.shell.${setting} allows ${allowed}. Nothing was run. Wait until one has ended, then send the call again.`,
    { retryAfterSeconds: 1 },
  );
