/** Keeps the last error output of a process, which shows why a server does not start. */
import { withoutSecrets } from '#core/execution/credentials/redact-values.ts';
import { redactResult } from '#core/mcp/tools/redact-result.ts';

const maxLines = 8;
const maxCharacters = 2_000;
/** Node's stack frames, which follow the message and would push it out of the last lines. */
const stackFrame = /^at .*(?::\d+:\d+\)?|\((?:<anonymous>|native|index \d+)\))(?: \{)?$/;

export class StderrTail {
  #text = '';

  add(text: string): void {
    this.#text = (this.#text + text).slice(-maxCharacters);
  }

  /**
   * Returns the last lines joined into one, without the given secrets or anything that looks like a secret; empty if
   * there was no output.
   */
  last(secrets: readonly string[]): string {
    const lines = this.#text.split('\n').map((line) => line.trim());
    const shown = lines
      .filter((line) => line !== '' && !stackFrame.test(line))
      .slice(-maxLines)
      .join(' | ');
    return redactResult(String(withoutSecrets(shown, secrets)));
  }
}
