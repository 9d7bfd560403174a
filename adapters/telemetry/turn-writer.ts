/** Lines of one turn of the event loop as one write: each write to a file or pipe stops the process until it is done. */

/** @param write is also called when the process exits, so that nothing is left behind. */
export function turnWriter(write: (text: string) => void): (line: string) => void {
  let held = '';
  const flush = () => {
    const text = held;
    held = '';
    if (text !== '') write(text);
  };
  process.once('exit', flush);
  return (line) => {
    if (held === '') setImmediate(flush);
    held += `${line}\n`;
  };
}
