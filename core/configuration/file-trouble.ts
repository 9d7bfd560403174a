/** Remembers that a saved configuration file failed to load, for health views and alerts [policy.hot-reload]. */
import type { Principal } from '#core/configuration/identity/principal.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';

export interface FileTrouble {
  readonly file: string;
  /** Load errors with their line numbers, on a single line. */
  readonly message: string;
  /** Time at which this process first failed to load the file. */
  readonly since: string;
}

/** Load failure of this process's configuration file, kept until the file loads again. */
export class ConfigurationTrouble {
  readonly #clock: Clock;
  #current: FileTrouble | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get current(): FileTrouble | undefined {
    return this.#current;
  }

  /** Records why the file does not load. If a changed file still fails, the time of the first failure is kept. */
  failed(file: string, message: string): void {
    const line = message.replaceAll(':\n', ': ').replaceAll('\n', '; ');
    this.#current = { file, message: line, since: this.#current?.since ?? isoTime(this.#clock.now()) };
  }

  /** Records that the file loads. */
  loaded(): void {
    this.#current = undefined;
  }
}

/** Describes the failure. Only platform callers see its details; others only see that there is a failure. */
export function troubleAsRead(
  { platform }: Pick<Principal, 'platform'>,
  trouble: FileTrouble | undefined,
  version: number,
): string[] {
  if (!trouble) return [];
  const { file, message } = trouble;
  if (platform)
    return [`The configuration file ${file} does not load, so version ${version} stays in force: ${message}`];
  return [
    `The configuration file does not load, so version ${version} stays in force. To see why, use the admin token or a key with platform: true.`,
  ];
}
