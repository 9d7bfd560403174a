/** Splits a server's output into lines of limited length. For an overlong line, only the id of its request is kept. */
import { StringDecoder } from 'node:string_decoder';

export class LineReader {
  readonly #most: number;
  readonly #take: { line(text: string): void; overlong(id: number | undefined): void };
  readonly #utf8 = new StringDecoder('utf8');
  #held: string[] = [];
  #length = 0;
  #dropping = false;

  constructor(maxCharacters: number, take: { line(text: string): void; overlong(id: number | undefined): void }) {
    this.#most = maxCharacters;
    this.#take = take;
  }

  /** Returns the number of characters in an overlong line that has not ended yet, or 0 if there is none. */
  get overlongCharacters(): number {
    return this.#dropping ? this.#length : 0;
  }

  push(bytes: Buffer): void {
    let text = this.#utf8.write(bytes);
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
      this.#hold(text.slice(0, end));
      this.#finish();
      text = text.slice(end + 1);
    }
    this.#hold(text);
  }

  #hold(part: string): void {
    if (part === '') return;
    this.#length += part.length;
    if (this.#length > this.#most) this.#dropping = true;
    if (!this.#dropping || this.#held.length === 0) this.#held.push(part);
    // The id is at the beginning or at the end of a message.
    else if (this.#held.length > 1)
      this.#held = [this.#held[0]!.slice(0, 200), `${this.#held[1]!.slice(-200)}${part}`.slice(-200)];
    else this.#held.push(part.slice(-200));
  }

  #finish(): void {
    if (this.#dropping) {
      this.#take.overlong(idIn(`${this.#held[0]?.slice(0, 200)} ${this.#held.at(-1)?.slice(-200)}`));
    } else {
      const line = this.#held.join('').trim();
      if (line !== '') this.#take.line(line);
    }
    this.#held = [];
    this.#length = 0;
    this.#dropping = false;
  }
}

/** Returns the id of an unparsed message, which is found at its beginning or its end. */
export function idIn(text: string): number | undefined {
  const ends = text.length > 400 ? `${text.slice(0, 200)} ${text.slice(-200)}` : text;
  const id = /"id"\s*:\s*(\d+)/.exec(ends)?.[1];
  return id === undefined ? undefined : Number(id);
}
