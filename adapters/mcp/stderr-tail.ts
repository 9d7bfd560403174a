/** What a process wrote to its error output last: it says why a server does not start. */
import { withoutSecrets } from '#core/credentials/redact-values.ts';
import { redactResult } from '#core/mcp/tools/redact-result.ts';

const mostLines = 8;
const mostCharacters = 2_000;

export class StderrTail {
  #text = '';

  add(text: string): void {
    this.#text = (this.#text + text).slice(-mostCharacters);
  }

  /** The last lines as one, without the given secrets and what looks like a secret; empty where nothing was written. */
  last(secrets: readonly string[]): string {
    const lines = this.#text.split('\n').map((line) => line.trim());
    const told = lines
      .filter((line) => line !== '')
      .slice(-mostLines)
      .join(' | ');
    return redactResult(String(withoutSecrets(told, secrets)));
  }
}
