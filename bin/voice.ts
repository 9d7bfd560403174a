/**
 * Checks the prose of the repository against docs/contributing/voice.md: documents, comments, error messages and
 * command-line texts. Prints each finding with its replacement; exits 1 if there is one.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface VoiceRule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly instead: string;
}

const rule = (name: string, pattern: RegExp, instead: string): VoiceRule => ({ name, pattern, instead });

/** Words to avoid in this repository's prose, each with a replacement. The style guide: docs/contributing/voice.md. */
const voiceRules: readonly VoiceRule[] = [
  rule(
    'is-no',
    /\b(?<!there )(?:is|was|are|were) no (?!longer\b|more\b|other\b|such\b|one\b|later\b)/i,
    '"is not a …": a tool is not a valid name, two calls are not identical',
  ),
  rule('whoever', /\bwho(?:so)?ever\b/i, 'the role: the caller, the reviewer, the process that holds the lease'),
  rule(
    'nobody',
    /\b(?:no|some|any|every)body\b|\b(?:some|any|every)one(?!-)\b|\bno one\b/i,
    'the role: no reviewer, another request, any caller, all waiters',
  ),
  rule('anew', /\banew\b/i, '"again", or "a new …"'),
  rule(
    'told',
    /(?<!-)\btold\b(?!-)|\btells? (?:nobody|of|apart|\w+ apart)\b/i,
    'the verb of the field: reported, returned, notified, recorded, distinguished',
  ),
  rule('of-ours', /\bof ours\b/i, '"of the gateway", "this gateway\'s"'),
  rule('belongs-into', /\bbelongs? into\b/i, '"belongs in"'),
  rule('held-against', /\bheld against\b/i, '"counted against", "compared with"'),
  rule('so-many', /\bat most so many\b/i, '"maximum number of …"'),
  rule('very', /\b(?:this|that|the) very (?!same)/i, '"the same", "exactly this"'),
  rule('the-mind', /\bthe (?:mind|hands)\b/i, 'decision logic, adapters'),
  rule('doors', /\bdoors?\b/i, 'handler, endpoint, entry point'),
  rule('rooms', /\brooms\b/i, 'folders'),
  rule('burn', /\bburn(?:s|t|ed)?\b/i, 'redeem'),
  rule('shelf', /\bshel(?:f|ves)\b/i, 'cache'),
  rule('section', /\b(?:spec|contract) §/i, 'the requirement id: `[approval.used-once]`'),
  rule('later-issue', /\ba later issue\b/i, '"not built yet"'),
  rule('all-the-same', /\ball the same\b/i, '"still", "in any case", "nevertheless"'),
  rule('so-many-words', /\bin so many words\b|\bwithout more ado\b/i, 'what is meant: "names X", "at any time"'),
  rule('by-then', /\bby then\b/i, 'the moment: "before that", "after the commit", "when it ends"'),
  rule('ink', /\b(?:without|no) ink\b/i, '"invisible"'),
  rule('surroundings', /\bsurroundings\b/i, '"environment"'),
  rule('for-ever', /\bfor ever\b/i, '"forever", "without end"'),
];

interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: VoiceRule;
  readonly text: string;
}

/** Checked files: documents, programs and test titles, without generated pages and word lists. */
const checked =
  /^(?:(?:core|features|adapters|lambdas|lib|bin|bench|plugins|state-machines|operator|console)\/.*\.(?:tsx?|mjs)|test\/.*\.ts|(?:policies|config)\/.*\.yaml|test\/requirements\.yaml|docs\/.*\.md|[A-Z]+\.md|bundle\.mjs)$/;
const exempt =
  /^(?:docs\/reference\/|docs\/decisions\/|docs\/contributing\/voice\.md$|CHANGELOG\.md$|bin\/voice(?:-rules)?\.ts$|core\/models\/cache\/same-meaning\.ts$|core\/catalog\/(?:data|rule-sets-data|databases|programs|tool-names)\.ts$|core\/guard\/wording-module\.ts$)/;

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

const isTest = (path: string): boolean => /^test\/.*\.ts$|\.test\.ts$/.test(path);

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
