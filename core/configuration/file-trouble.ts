/** A configuration file that does not load after it was saved, kept for the views of health and for alerts [config.file-trouble]. */
import type { Principal } from '#core/configuration/identity/principal.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';

export interface FileTrouble {
  readonly file: string;
  /** What is wrong with it and at which lines, as one line of text. */
  readonly message: string;
  /** When this process first saw that the file does not load. */
  readonly since: string;
}

/** The trouble with the configuration file of this process, until it loads again. */
export class ConfigurationTrouble {
  readonly #clock: Clock;
  #current: FileTrouble | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get current(): FileTrouble | undefined {
    return this.#current;
  }

  /** Notes why the file does not load; a file that is saved again, still broken, keeps the time of the first failure. */
  failed(file: string, message: string): void {
    const line = message.replaceAll(':\n', ': ').replaceAll('\n', '; ');
    this.#current = { file, message: line, since: this.#current?.since ?? isoTime(this.#clock.now()) };
  }

  /** Notes that the file loads. */
  loaded(): void {
    this.#current = undefined;
  }
}

/** The trouble in words. Callers other than those of the platform read that there is one, and nothing of the file. */
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
    `The configuration file does not load, so version ${version} stays in force. The admin token, or a key with platform: true, shows why.`,
  ];
}
