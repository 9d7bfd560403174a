/**
 * Combines log lines into one write, because each write to a file or pipe blocks the process and costs more than
 * formatting the line.
 */

/** Time for which lines are held: short enough for a person watching the log, and long enough for a busy process. */
const heldMs = 20;
const maxCharacters = 64 * 1024;

/** @param write is also called when the process exits, so that no line is lost. */
export function lineWriter(write: (text: string) => void): (line: string) => void {
  let held = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = held;
    held = '';
    if (text !== '') write(text);
  };
  process.once('exit', flush);
  return (line) => {
    held += `${line}\n`;
    if (held.length > maxCharacters) flush();
    else timer ??= setTimeout(flush, heldMs).unref();
  };
}
