/**
 * Judges the words of texts with the plugin `injection-guard`: its tables and rules are the only ones. The module runs in
 * this thread, because it is part of the release, allocates no more than a text needs and takes linear time.
 */
import { brotliDecompressSync } from 'node:zlib';
import { remembered } from '#core/kernel/remembered.ts';
import { type SecretFileTest, secretFileTest } from '#core/text/secrets/secret-paths.ts';
import { wordingModule } from './wording-module.ts';

export interface WordingVerdict {
  /** True if a strong rule matched. */
  readonly isCertain: boolean;
  /** True if the text is an error that asks for rights or secrets. */
  readonly isError: boolean;
  /** True if two weak rules matched near each other. */
  readonly isLikely: boolean;
  /** True if the text would be an instruction in a place that only the model reads. */
  readonly speaksHidden: boolean;
  /** True if the text has the model keep something from the user. */
  readonly conceals: boolean;
  /** How a word is turned: 1 reversed, 2 ROT13, 3 both; 0 if none is. */
  readonly turned: number;
  /** True if the module failed, so that every text is suspicious. */
  readonly isUnjudged: boolean;
}

/** Texts are folded and in lower case. */
export interface Wording {
  /** Begins a new text: forgets the parts judged so far. */
  restart(): void;
  /** Judges the next part of a text: words near the end of one part count for the next. */
  judge(part: string): WordingVerdict;
  /** Judges a whole text, without the parts judged so far. */
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
 * Returns a judge that runs a module. If the module fails, every text is suspicious until a fresh instance works.
 * @param compile called once, at the first text.
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

/** Longer texts get an instance of their own, because the memory of an instance never shrinks. */
const largeText = 256 * 1024;

function write({ memory, room }: Module, text: string): number {
  const at = room(text.length);
  const units = new Uint16Array(memory.buffer, at, text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return text.length;
}

/** The module of this release. */
export const shippedWording: Wording = wordingOf(
  () => new WebAssembly.Module(brotliDecompressSync(Buffer.from(wordingModule, 'base64'))),
);

/**
 * Returns the wording for a configuration: names of the secret files that it adds to the catalog are read like `.env`
 * [policy.secret-files].
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
