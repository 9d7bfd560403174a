/**
 * Ordinary kinds of results, 4,096 characters each; `node bench/run.ts --tool-guard` prints the cost of guarding them.
 */

const characters = 4_096;
const bytes = Buffer.from(
  Array.from({ length: characters }, (_, at) => (Math.imul(at + 1, 2_654_435_761) >>> 13) & 255),
);
const digits = bytes.toString('hex');
const piecesOf = (text: string, length: number): string[] => text.match(new RegExp(`.{1,${length}}`, 'g')) ?? [];
const prose = 'The invoice of last month was sent to the customer on Monday, with the list of parts beside it. ';
const lines = (line: (at: number) => string): string => Array.from({ length: 200 }, (_, at) => line(at)).join('\n');
const dump = (offset: string, group: number): string =>
  piecesOf(digits, 32)
    .map((line, at) => {
      const shown = Buffer.from(line, 'hex')
        .toString('latin1')
        .replace(/[^ -~]/g, '.');
      return `${(at * 16).toString(16).padStart(8, '0')}${offset}${piecesOf(line, group).join(' ')}  |${shown}|`;
    })
    .join('\n');

export function ordinaryForms(): Readonly<Record<string, string>> {
  const forms = {
    'a dump of hexdump': dump('  ', 2),
    'a dump of xxd': dump(': ', 4),
    'hexadecimal bytes': piecesOf(digits, 2).join(' '),
    CSV: lines((at) => `${at},${bytes[at]},Oslo,2026-11-${10 + (at % 20)},${digits.slice(at, at + 4)},true`),
    'a table of numbers': lines((at) => [...bytes.subarray(at, at + 8)].join(' ')),
    JSON: JSON.stringify(
      Array.from({ length: 60 }, (_, at) => ({ id: at, name: `item ${at}`, tags: ['a', 'b'] })),
      null,
      2,
    ),
    'log lines with identifiers': lines(
      (at) =>
        `2026-11-26T10:00:01Z INFO [worker-${at % 4}] id=${digits.slice(at * 8, at * 8 + 12)} path=/v1/items/${at} status=200`,
    ),
    'a table of markdown': lines((at) => `| item ${at} | ${bytes[at]} | **yes** | [link](https://example.com/${at}) |`),
    'digests of commits': lines((at) => `${digits.slice(at * 8, at * 8 + 40)} fix(core): the order of ${at} items`),
    UUIDs: lines((at) => digits.slice(at * 8, at * 8 + 32).replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')),
    'base64 of bytes': bytes.toString('base64'),
    'base64 of prose, twice': Buffer.from(Buffer.from(prose.repeat(40)).toString('base64')).toString('base64'),
    'percent signs in prose': encodeURIComponent(prose.repeat(50)),
    'addresses with escapes': lines(
      (at) => `https://example.com/a%20b/%C3%A4?q=${encodeURIComponent(`Füße und Äpfel ${at}`)}`,
    ),
  };
  return Object.fromEntries(
    Object.entries(forms).map(([name, text]) => [
      name,
      text.repeat(Math.ceil(characters / text.length)).slice(0, characters),
    ]),
  );
}
