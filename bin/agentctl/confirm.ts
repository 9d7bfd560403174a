/** Asks the person at the terminal. Without a terminal a command does what it was given, so that scripts go on. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export const atTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Whether the person types yes; anything else, and the end of the input, is a no. */
export async function confirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.setPrompt(`${question} [y/N] `);
  terminal.prompt();
  try {
    const ended = once(terminal, 'close').then(() => ['']);
    const [typed = ''] = await Promise.race([once(terminal, 'line'), ended]);
    return /^y(es)?$/i.test(String(typed).trim());
  } finally {
    terminal.close();
  }
}
