/**
 * Checks the prose of the repository against docs/contributing/voice.md: documents, comments, error messages and
 * command-line text. Prints each finding with its replacement; exits with 1 if there are any. Declarations are found
 * with regular expressions, because the TypeScript 7 API loads the whole program before it shows a file.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { docRules, habits, type VoiceRule, voiceRules } from './voice/rules.ts';

interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: VoiceRule;
  readonly text: string;
}

/** Checked files: documents, programs and test titles, without generated pages and word lists. */
const checkedPaths =
  /^(?:(?:core|features|adapters|lambdas|lib|bin|bench|plugins|state-machines|operator|console)\/.*\.(?:tsx?|mjs)|test\/.*\.ts|(?:policies|config)\/.*\.yaml|test\/requirements\.yaml|docs\/.*\.md|[A-Z]+\.md|bundle\.mjs)$/;
const exempt =
  /^(?:docs\/reference\/|docs\/decisions\/|docs\/contributing\/voice\.md$|CHANGELOG\.md$|bin\/voice(?:\/rules)?\.ts$|core\/models\/cache\/same-meaning\.ts$|core\/catalog\/(?:code-places|data|rule-sets-data|databases|file-kinds|file-names|programs|program-(?:kinds|lines|words)|tool-names)\.ts$|core\/guard\/wording-module\.ts$)/;

/** Returns the findings in one file. Blanks out code, so that line numbers stay valid. */
export function findings(path: string, text: string): Finding[] {
  return proseOf(path, text)
    .split('\n')
    .flatMap((line, at) =>
      voiceRules.flatMap((rule) => {
        const found = rule.pattern.exec(line);
        return found ? [{ path, line: at + 1, rule, text: line.trim() }] : [];
      }),
    );
}

/** Returns the doc comments in a source file that do not begin as voice.md requires. */
export function docFindings(path: string, text: string): Finding[] {
  if (!/^(?:core|features|adapters|lambdas|lib|bin|operator|console)\/(?!.*\/test\/).*\.tsx?$/.test(path)) return [];
  const found = text.matchAll(/(?<=^[ \t]*)\/\*\*((?:(?!\*\/)[\s\S])*)\*\/[ \t]*\n[ \t]*(.*)/gm);
  return [...found].flatMap(({ 1: comment, 2: head, index }) => {
    const doc = comment!.replace(/\s*\n[ \t]*\*/g, ' ').trim();
    const broken = docRules.filter((rule) => rule.head.test(head!) && rule.pattern.test(doc));
    return broken.map((rule) => ({ path, line: text.slice(0, index).split('\n').length, rule, text: doc }));
  });
}

/** Returns the habits that occur more often in a file than before. */
export function risenHabits(path: string, before: string, after: string): Finding[] {
  const [old, now] = [before, after].map((text) => proseOf(path, text));
  return habits.flatMap((rule) => {
    const found = [...now!.matchAll(rule.pattern)];
    const allowed = old!.match(rule.pattern)?.length ?? 0;
    const lines = found.map(({ index }) => now!.slice(0, index).split('\n').length);
    return found.length > allowed
      ? [
          {
            path,
            line: lines.at(-1)!,
            rule,
            text: `${found.length} times (lines ${lines.join(', ')}), before ${allowed}`,
          },
        ]
      : [];
  });
}

const isTest = (path: string): boolean => /^(?:test|features\/[^/]+\/test)\/.*\.ts$|\.test\.ts$/.test(path);

function proseOf(path: string, text: string): string {
  if (isTest(path)) return titles(text);
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

/** Returns comments, and literals with at least two spaces (shorter ones are names and keys), without inline code. */
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

const git = (root: string, args: readonly string[]): string =>
  spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e9 }).stdout;

/** Returns the content of files in a commit; empty for files that the commit does not contain. */
function textsAt(root: string, commit: string, paths: readonly string[]): string[] {
  const { stdout } = spawnSync('git', ['cat-file', '--batch'], {
    cwd: root,
    input: paths.map((path) => `${commit}:${path}\n`).join(''),
    maxBuffer: 1e9,
  });
  let at = 0;
  return paths.map(() => {
    const head = stdout.indexOf('\n', at);
    const size = Number(/ blob (\d+)$/.exec(stdout.toString('utf8', at, head))?.[1] ?? -1);
    at = head + 2 + size;
    return size < 0 ? '' : stdout.toString('utf8', head + 1, at - 1);
  });
}

/**
 * Returns all findings in the repository. Habits are compared with the branch point from `main`; on `main`, with the
 * previous commit.
 */
function voiceFindings(root: string): Finding[] {
  const isChecked = (path: string) => checkedPaths.test(path) && !exempt.test(path);
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const paths = git(root, ['ls-files']).split('\n').filter(isChecked);
  const head = git(root, ['rev-parse', 'HEAD']).trim();
  const point = git(root, ['merge-base', 'HEAD', 'main']).trim();
  const base = point === '' || point === head ? 'HEAD~1' : point;
  const changed = git(root, ['diff', '--name-only', '--diff-filter=AM', base]).split('\n').filter(isChecked);
  const before = textsAt(root, base, changed);
  return [
    ...paths.flatMap((path) => [...findings(path, read(path)), ...docFindings(path, read(path))]),
    ...changed.flatMap((path, at) => risenHabits(path, before[at]!, read(path))),
  ];
}

const here = fileURLToPath(import.meta.url);
if (process.argv[1] === here) {
  const found = voiceFindings(join(here, '../..'));
  for (const { path, line, rule, text } of found)
    console.log(`${path}:${line}: ${rule.name}: ${text}\n    write ${rule.instead}`);
  if (found.length > 0) console.log(`${found.length} places do not follow docs/contributing/voice.md.`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
