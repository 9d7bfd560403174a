/**
 * The page that browsers get at the URL of an approval or of the list: a redirect to the console, or a page on how to
 * decide. The page contains no approval data and no form, loads nothing and makes no decision [approval.url].
 */

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const browserPageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  'referrer-policy': 'no-referrer',
} as const;

/**
 * Returns the console URL to which browsers are redirected, if the host serves a console. The fragment stays in the
 * browser and does not affect the decision.
 * @param id from the URL; empty for the list.
 */
export const consolePlace = (id: string, consoleUrl: string | undefined): string | undefined =>
  consoleUrl === undefined || (id !== '' && !idPattern.test(id))
    ? undefined
    : `${consoleUrl}#/approvals/${id.toLowerCase()}`;

/**
 * Returns the page as HTML.
 * @param id from the URL; empty for the list. Only a valid envelope id is repeated on the page.
 * @param inConsole URL in the web console, if the host serves one: a link for clients that do not follow redirects.
 */
export function browserPage(id: string, inConsole: string | undefined): string {
  const isList = id === '';
  const named = idPattern.test(id) ? id.toLowerCase() : '<envelope_id>'.replace('<', '&lt;').replace('>', '&gt;');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${isList ? 'Actions that wait' : 'An action waits'} for approval</title>
<style>
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
pre { overflow-x: auto; padding: .75rem; border: 1px solid; border-radius: .25rem }
</style>
</head>
<body>
<main>
<h1>${isList ? 'What waits for a person' : 'An action waits for a person'}</h1>
<p>This page shows nothing of ${isList ? 'any request' : 'it'} and decides nothing: a browser sends no key. A person with the role operator, other than the requester, decides in one of these ways.</p>
${inConsole === undefined ? '' : linkTo(inConsole, isList ? 'Open the list' : 'Open the request')}<h2>On the command line</h2>
<pre>${isList ? 'agentctl pending\n' : ''}agentctl show ${named}
agentctl approve ${named} --comment "looked at it"
agentctl deny ${named} --comment "why not"</pre>
<h2>Where it was announced</h2>
<p>With the buttons of ${isList ? 'its own' : 'the'} Slack message, or by a comment on the pull request, if this gateway has such a channel.</p>
<h2>Over HTTP</h2>
<p><code>POST</code> to this address with <code>${isList ? '/&lt;envelope_id&gt;' : ''}/approve</code> or <code>${isList ? '/&lt;envelope_id&gt;' : ''}/deny</code> behind it, a key as <code>X-API-Key</code>, and <code>{"reviewer": "…", "comment": "…"}</code> as JSON.</p>
</main>
</body>
</html>
`;
}

const linkTo = (url: string, label: string): string => `<h2>In the web console</h2>
<p><a href="${url}" rel="noreferrer">${label}</a> and sign in with a key of a person.</p>
`;
