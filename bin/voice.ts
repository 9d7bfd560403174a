/**
 * Checks the prose of the repository against docs/contributing/voice.md: documents, comments, error messages and
 * command-line texts. Prints each finding with its replacement; exits 1 if there is one.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type VoiceRule, voiceRules } from './voice-rules.ts';

interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: VoiceRule;
  readonly text: string;
}

/** Checked files: documents, programs and test titles, without generated pages and word lists. */
const checked =
  /^(?:(?:core|features|adapters|lambdas|lib|bin|bench|plugins|state-machines|operator|console)\/.*\.(?:tsx?|mjs)|test\/.*\.ts|(?:policies|config)\/.*\.yaml|docs\/.*\.md|[A-Z]+\.md|bundle\.mjs)$/;
const exempt =
  /^(?:docs\/reference\/|docs\/decisions\/|docs\/contributing\/voice\.md$|CHANGELOG\.md$|bin\/voice(?:-rules)?\.ts$|core\/models\/cache\/same-meaning\.ts$|core\/policy\/classification\/verbs\.ts$|core\/guard\/words(?:-of-acts)?\.ts$|plugins\/injection-guard\/words\.ts$)/;

/** Returns the findings in one text. Blanks out code, so that line numbers stay valid. */
export function findings(path: string, text: string): Finding[] {
  const prose = isTest(path) ? titles(text) : proseOf(path, text);
  return prose.split('\n').flatMap((line, at) =>
    voiceRules.flatMap((rule) => {
      const found = rule.pattern.exec(line);
      return found ? [{ path, line: at + 1, rule, text: line.trim() }] : [];
    }),
  );
}

const isTest = (path: string): boolean => path.startsWith('test/') && path !== 'test/requirements.ts';

function proseOf(path: string, text: string): string {
  if (path.endsWith('.md')) return withoutCode(text);
  return path.endsWith('.yaml') ? text : commentsAndTexts(text);
}

/** Returns test titles without requirement ids. Other strings in tests are inputs and expected values. */
const titles = (source: string): string => {
  let at = 0;
  let prose = '';
  for (const found of source.matchAll(title)) {
    const start = found.index + found[0].length - found[1]!.length;
    prose += blank(source.slice(at, start)) + found[1]!.replace(/\[[^\]\n]*\]/g, blank);
    at = start + found[1]!.length;
  }
  return prose + blank(source.slice(at));
};
const title =
  /\b(?:test|it|describe)(?:\.\w+)?(?:\([^'"`;]*\))?\(\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/g;

const blank = (text: string) => text.replace(/[^\n]/g, ' ');

/** Returns a document without fenced and inline code. */
const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, blank).replace(/`[^`\n]*`/g, blank);

/** Returns comments, and literals with at least two blanks (shorter ones are names and keys), without inline code. */
export function commentsAndTexts(source: string): string {
  const token = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ [^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
  let at = 0;
  let prose = '';
  for (const { 0: found, index } of source.matchAll(token)) {
    prose += blank(source.slice(at, index));
    const comment = found.startsWith('/');
    if (comment) prose += found.replace(/`[^`\n]*`/g, blank);
    else prose += found.split(' ').length > 2 ? found.replace(/\$\{[^}]*\}/g, blank) : blank(found);
    at = index + found.length;
  }
  return prose + blank(source.slice(at));
}

/** Returns all findings in the repository. */
function voiceFindings(root: string): Finding[] {
  const { stdout } = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
  return stdout
    .split('\n')
    .filter((path) => checked.test(path) && !exempt.test(path))
    .flatMap((path) => findings(path, readFileSync(join(root, path), 'utf8')));
}

const here = fileURLToPath(import.meta.url);
if (process.argv[1] === here) {
  const found = voiceFindings(join(here, '../..'));
  for (const { path, line, rule, text } of found)
    console.log(`${path}:${line}: ${rule.name}: ${text}\n    write ${rule.instead}`);
  if (found.length > 0) console.log(`${found.length} places speak another register than docs/contributing/voice.md.`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
