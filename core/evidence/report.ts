/** The session report in Markdown. Text from agents is escaped, so it cannot add formatting or links. */
import type { SessionManifest, UnsignedManifest, Verification } from '#core/contracts/evidence.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import { visibleText } from '#core/text/secrets/visible-text.ts';
import type { StoredEntry } from './entry-text.ts';
import type { ActionStory, Fact } from './report-parts.ts';
import { type SessionStory, sessionStory } from './report-story.ts';

/** Yields the report section by section. */
export async function* markdownReport(
  manifest: SessionManifest | UnsignedManifest,
  entries: AsyncIterable<StoredEntry> | Iterable<StoredEntry>,
  verification: Verification,
  logged?: LogProof,
): AsyncIterable<string> {
  const story = await sessionStory(manifest, entries, verification, logged);
  yield `# Session ${escapeMarkdown(manifest.session_id)}\n\n${verdict(story)}\n## Summary\n\n${factList(story.summary)}\n`;
  yield timeline(story);
  yield '## Actions\n\n';
  for (const action of story.actions) yield section(action);
  if (story.log) yield `## Transparency log\n\n${section(story.log)}`;
  if (story.omission) yield `_${story.omission}_\n`;
}

function verdict({ verdict: { valid, sentence, notChecked } }: SessionStory): string {
  const open = notChecked.map((item) => `> Not checked: ${escapeMarkdown(item)}.\n`).join('>\n');
  return `> **${valid ? 'VALID' : 'INVALID'}.** ${escapeMarkdown(sentence)}\n${open && `>\n${open}`}`;
}

const factList = (facts: readonly Fact[]): string =>
  facts.map(({ label, value, code }) => `- **${label}:** ${code ? codeSpan(value) : escapeMarkdown(value)}\n`).join('');

function timeline({ timeline }: SessionStory): string {
  const rows = timeline.map(
    (row) =>
      `| ${row.index} | ${escapeMarkdown(row.timestamp)} | ${row.kind} | ${escapeMarkdown(row.what)} | ${escapeMarkdown(row.detail)} | \`${row.hash.slice(0, 12)}\` |\n`,
  );
  return `## Timeline\n\n| # | Time (UTC) | Kind | What | Detail | Hash |\n|--:|---|---|---|---|---|\n${rows.join('')}\n`;
}

function section({ title, outcome, facts, documents }: ActionStory): string {
  const blocks = documents.map(({ heading, json }) => `${escapeMarkdown(heading)}:\n\n${codeBlock(json)}\n`).join('');
  return `### ${escapeMarkdown(title)}: ${escapeMarkdown(outcome)}\n\n${factList(facts)}\n${blocks}`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '@': '&#64;' };

/**
 * Escapes text for a line, a table cell or a heading. Also escapes strings that GitHub turns into links: URLs, `www.`
 * and mentions. An underscore between letters or digits needs no escape.
 */
export function escapeMarkdown(text: string): string {
  return visibleText(text)
    .replace(/[&<>@]/g, (char) => entities[char]!)
    .replace(/[\\`*[\]|~!]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&')
    .replace(/:\/\//g, '&#58;//')
    .replace(/www\./gi, (www) => `${www.slice(0, 3)}&#46;`);
}

/**
 * Returns a code span whose fence is longer than any run of backticks inside it. A pipe would still end a table cell.
 */
function codeSpan(text: string): string {
  const fence = '`'.repeat(longestRun(text) + 1);
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${visibleText(text)}${pad}${fence}`;
}

function codeBlock(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}json\n${text}\n${fence}\n`;
}

const longestRun = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
