/**
 * The session report as one HTML page: inline styles, no script, no external resources, links only within the page. It
 * is served under `default-src 'none'; style-src 'unsafe-inline'; sandbox` and repeats the first two directives in a
 * meta element.
 */
import type { SessionManifest, UnsignedManifest, Verification } from '#core/contracts/evidence.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import { visibleLines } from '#core/text/secrets/visible-text.ts';
import type { StoredEntry } from './entry-text.ts';
import type { ActionStory, Fact } from './report-parts.ts';
import { type SessionStory, sessionStory } from './report-story.ts';

/**
 * Parts that let the page verify itself: an addition to its content security policy, and markup for the end of the
 * page.
 */
interface Proof {
  readonly policy: string;
  readonly parts: string;
}

/** Yields the page section by section. */
export async function* htmlReport(
  manifest: SessionManifest | UnsignedManifest,
  entries: AsyncIterable<StoredEntry> | Iterable<StoredEntry>,
  verification: Verification,
  proof?: Proof,
  logged?: LogProof,
): AsyncIterable<string> {
  const story = await sessionStory(manifest, entries, verification, logged);
  yield `${htmlHead(manifest, proof)}${verdict(story)}${proof ? here : ''}<h2>Summary</h2>\n${factList(story.summary)}`;
  yield timeline(story);
  yield '<h2>Actions</h2>\n';
  const open = story.actions.length <= unfolded;
  for (const action of story.actions) yield foldedSection(action, open);
  if (story.log) yield `<h2>Transparency log</h2>\n${section(story.log)}`;
  if (story.omission) yield `<p class="note">${escapeHtml(story.omission)}</p>\n`;
  yield `</main>\n${proof?.parts ?? ''}</body>\n</html>\n`;
}

/** Section filled in by the page's script. */
const here = `<h2>Verify here</h2>
<p>This page holds the session's bundle and its verifier, and loads nothing. The verdict above is from when the file was written.</p>
<p class="verdict" id="verdict" role="status">Not verified in this browser: that needs JavaScript.</p>
<p><label for="key">Trusted public key (PEM), from a source other than this file</label><br>
<textarea id="key" rows="4" cols="66" spellcheck="false" placeholder="-----BEGIN PUBLIC KEY-----"></textarea></p>
<p><label for="log-keys">Trusted keys of the log and of witnesses, one per line</label><br>
<textarea id="log-keys" rows="2" cols="66" spellcheck="false" placeholder="name+0a1b2c3d+base64"></textarea><br>
<button id="again" type="button">Verify</button></p>
`;

const htmlHead = (manifest: SessionManifest | UnsignedManifest, proof?: Proof): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'${proof ? `; ${proof.policy}` : ''}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Session ${escapeHtml(manifest.session_id)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Session <code>${escapeHtml(manifest.session_id)}</code></h1>
`;

function verdict({ verdict: { valid, sentence, notChecked } }: SessionStory): string {
  const open = notChecked.map((item) => `<br>Not checked: ${escapeHtml(item)}.`).join('');
  const word = valid ? 'Valid' : 'Invalid';
  return `<p class="verdict ${valid ? 'valid' : 'invalid'}"><strong>${word}.</strong> ${escapeHtml(sentence)}${open}</p>\n`;
}

const factList = (facts: readonly Fact[]): string => `<dl>\n${facts.map(factHtml).join('')}</dl>\n`;

function factHtml({ label, value, code, to }: Fact): string {
  const plain = code ? `<code>${escapeHtml(value)}</code>` : escapeHtml(value);
  const shown = to === undefined ? plain : `<a href="#${to}">${plain}</a>`;
  return `<dt>${escapeHtml(label)}</dt><dd>${shown}</dd>\n`;
}

function timelineHtml({ place, what }: SessionStory['timeline'][number]): string {
  const text = escapeHtml(what) || 'entry';
  return place === undefined ? text : `<a href="#${place}">${text}</a>`;
}

function timeline({ timeline }: SessionStory): string {
  const rows = timeline.map(
    (row) =>
      `<tr><td class="number">${row.index}</td><td class="time">${escapeHtml(row.timestamp)}</td><td><span class="kind ${row.blocked ? 'block' : escapeHtml(row.kind)}">${escapeHtml(row.kind)}</span></td><td>${timelineHtml(row)}</td><td>${escapeHtml(row.detail)}</td><td class="hash"><code title="${escapeHtml(row.hash)}">${escapeHtml(row.hash.slice(0, 12))}</code></td></tr>\n`,
  );
  return `<h2>Timeline</h2>
<div class="wide"><table>
<thead><tr><th>#</th><th>Time (UTC)</th><th>Kind</th><th>What</th><th>Detail</th><th>Hash</th></tr></thead>
<tbody>
${rows.join('')}</tbody>
</table></div>
`;
}

/** Number of actions above which all actions of a session are initially collapsed. */
const unfolded = 25;

/** Returns an action as a `details` element. The browser expands it when a link points inside it. */
const foldedSection = (action: ActionStory, open: boolean): string =>
  `<details${open ? ' open' : ''}>\n<summary>${heading(action)}</summary>\n<div id="${action.place}">\n${actionHtml(action)}</div>\n</details>\n`;

const section = (story: ActionStory): string => `<section>\n${heading(story)}\n${actionHtml(story)}</section>\n`;

const heading = ({ title, outcome }: ActionStory): string =>
  `<h3>${escapeHtml(title)} <small>${escapeHtml(outcome)}</small></h3>`;

function actionHtml({ facts, documents }: ActionStory): string {
  const blocks = documents.map(
    (document) => `<h4>${escapeHtml(document.heading)}</h4>\n<pre>${escapeHtml(document.json)}</pre>\n`,
  );
  return `${factList(facts)}${blocks.join('')}`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for use between tags and inside quoted attributes. */
export const escapeHtml = (text: string): string => visibleLines(text).replace(/[&<>"']/g, (char) => entities[char]!);

const style = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --line: #dfe2e6; --paper: #fff; --tint: #f5f6f8; --good: #18794e; --bad: #c62a2f; --wait: #ad5700; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --soft: #a5abb3; --line: #363a3f; --paper: #141619; --tint: #1e2124; --good: #4cc38a; --bad: #ff8589; --wait: #f1a10d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h3 small { color: var(--soft); font-weight: 400; }
h4 { font-size: .85rem; margin: 1rem 0 .25rem; color: var(--soft); }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { margin: 0; padding: .75rem 1rem; background: var(--tint); border-radius: 6px; white-space: pre-wrap; }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .2rem 1.25rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
section, details { margin: 1.25rem 0; padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: 8px; }
.verdict { padding: .75rem 1rem; border-left: 4px solid; border-radius: 4px; background: var(--tint); }
.valid { border-color: var(--good); }
.invalid { border-color: var(--bad); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; }
summary { cursor: pointer; }
summary h3 { display: inline; }
details[open] > summary { margin-bottom: .5rem; }
a { color: inherit; text-decoration-color: var(--soft); }
.hash { white-space: nowrap; }
.hash code { overflow-wrap: normal; }
.number, .time { font-variant-numeric: tabular-nums; white-space: nowrap; }
.kind { font-weight: 600; }
.allow, .approve { color: var(--good); }
.block, .deny { color: var(--bad); }
.review { color: var(--wait); }
textarea { max-width: 100%; font: .875em/1.5 ui-monospace, monospace; }
.note { color: var(--soft); }
@media print { section, details { break-inside: avoid; } details::details-content { content-visibility: visible; block-size: auto; } }
`;
