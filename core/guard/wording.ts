/**
 * Judges wording with the `injection-guard` plugin, which holds the only set of tables and rules. The module runs in
 * this thread, because it is part of the release, allocates no more than the text requires and takes linear time.
 */
import { brotliDecompressSync } from 'node:zlib';
import { remembered } from '#core/kernel/remembered.ts';
import { type SecretFileTest, secretFileTest } from '#core/text/secrets/secret-paths.ts';
import { wordingModule } from './wording-module.ts';

export interface WordingVerdict {
  /** True if a strong rule matched. */
  readonly isCertain: boolean;
  /** True if the text is an error message that asks for rights or secrets. */
  readonly isError: boolean;
  /** True if two weak rules matched near each other. */
  readonly isLikely: boolean;
  /** True if the text would be an instruction if placed where only the model reads it. */
  readonly speaksHidden: boolean;
  /** True if the text instructs the model to keep something from the user. */
  readonly conceals: boolean;
  /** How a word is transformed: 1 for reversed, 2 for ROT13, 3 for both, 0 for none. */
  readonly turned: number;
  /** True if the module failed, in which case every text is suspicious. */
  readonly isUnjudged: boolean;
}

/** Judge of wording. Text must be folded and in lower case. */
export interface Wording {
  /** Starts a new text and discards the parts judged so far. */
  restart(): void;
  /** Judges the next part of a text. Words near the end of one part are taken into account for the next. */
  judge(part: string): WordingVerdict;
  /** Judges a whole text, independently of the parts judged so far. */
  judgeAlone(text: string): WordingVerdict;
  /** Splits `ignoreallpreviousinstructions` into known words. */
  split(letters: string): string;
}

interface Module {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  room(units: number): number;
  restart(): void;
  judge(units: number): number;
  judgeAlone(units: number): number;
  split(units: number): number;
  partsAt(): number;
}

/** Bits of a verdict; `plugins/injection-guard/judge.ts` sets them. */
const bits = { likely: 1, error: 2, certain: 4, hidden: 8, conceals: 16 } as const;

const verdictOf = (code: number): WordingVerdict => ({
  isCertain: (code & bits.certain) !== 0,
  isError: (code & bits.error) !== 0,
  isLikely: (code & bits.likely) !== 0,
  speaksHidden: (code & bits.hidden) !== 0,
  conceals: (code & bits.conceals) !== 0,
  turned: code >> 8,
  isUnjudged: false,
});
const unremarkable = verdictOf(0);
const unjudged: WordingVerdict = { ...verdictOf(bits.certain | bits.hidden | bits.conceals), isUnjudged: true };

/**
 * Returns a judge that runs a module. If the module fails, every text counts as suspicious until a new instance works.
 * @param compile called once, for the first text.
 */
export function wordingOf(compile: () => WebAssembly.Module): Wording {
  let compiled: WebAssembly.Module | undefined;
  let running: Module | undefined;
  const start = (): Module => {
    compiled ??= compile();
    const module = new WebAssembly.Instance(compiled).exports as unknown as Module;
    module._initialize();
    return module;
  };
  const attempt = <T>(run: (module: Module) => T, failed: T): T => {
    try {
      running ??= start();
      return run(running);
    } catch {
      running = undefined;
      return failed;
    }
  };
  const judged = (code: number): WordingVerdict => (code === 0 ? unremarkable : verdictOf(code));
  return {
    restart: () => attempt((module) => module.restart(), undefined),
    judge: (part) => attempt((module) => judged(module.judge(write(module, part))), unjudged),
    judgeAlone: (text) =>
      attempt((module) => {
        const verdict = judged(module.judgeAlone(write(module, text)));
        if (text.length > largeText) running = undefined;
        return verdict;
      }, unjudged),
    split: (letters) =>
      attempt((module) => {
        const length = module.split(write(module, letters.toLowerCase()));
        return String.fromCharCode(...new Uint16Array(module.memory.buffer, module.partsAt(), length));
      }, letters),
  };
}

/** Length above which text gets an instance of its own, because an instance's memory never shrinks. */
const largeText = 256 * 1024;

function write({ memory, room }: Module, text: string): number {
  const at = room(text.length);
  const units = new Uint16Array(memory.buffer, at, text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return text.length;
}

/** Judge that runs the module of this release. */
export const shippedWording: Wording = wordingOf(
  () => new WebAssembly.Module(brotliDecompressSync(Buffer.from(wordingModule, 'base64'))),
);

/**
 * Returns the wording judge for a configuration. Secret files that the configuration adds to the catalog are treated
 * like `.env` [policy.secret-files].
 */
export const wordingWith = (secretFiles: readonly string[] = []): Wording =>
  secretFiles.length === 0 ? shippedWording : withFiles(secretFileTest(secretFiles));

const withFiles = remembered((namesFile: SecretFileTest): Wording => {
  const renamed = (text: string): string =>
    text.replace(/[^\s"'`(),;]+/g, (word) => (namesFile(word.replace(/[.:]$/, '')) ? '.env' : word));
  return {
    ...shippedWording,
    judge: (part) => shippedWording.judge(renamed(part)),
    judgeAlone: (text) => shippedWording.judgeAlone(renamed(text)),
  };
});
