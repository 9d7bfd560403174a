/**
 * Asks the user at the terminal for confirmation. Without a terminal, a command runs without confirmation, so that
 * scripts work.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export const isTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Returns whether the user types yes; any other input, or end of input, means no. */
export async function askYesNo(question: string): Promise<boolean> {
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
