/**
 * What a browser shows at the address of an approval: how to decide, and nothing of the approval. The page asks for nothing,
 * loads nothing and decides nothing [approval.browser-page].
 */

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const browserPageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  'referrer-policy': 'no-referrer',
} as const;

/**
 * @param id as the address has it; only an envelope id is repeated on the page.
 * @param consoleUrl of the web console, where the host serves one: a link, which decides nothing either.
 */
export function browserPage(id: string, consoleUrl?: string): string {
  const known = idPattern.test(id) ? id.toLowerCase() : '';
  const named = idPattern.test(id) ? id.toLowerCase() : '<envelope_id>'.replace('<', '&lt;').replace('>', '&gt;');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>An action waits for approval</title>
<style>
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
pre { overflow-x: auto; padding: .75rem; border: 1px solid; border-radius: .25rem }
</style>
</head>
<body>
<main>
<h1>An action waits for a person</h1>
<p>This page shows nothing of it and decides nothing: a browser sends no key. A person with the role operator, other than the requester, decides in one of these ways.</p>
${consoleUrl === undefined ? '' : inConsole(`${consoleUrl}#/approvals/${known}`)}<h2>On the command line</h2>
<pre>npx agentctl show ${named}
npx agentctl approve ${named} --comment "looked at it"
npx agentctl deny ${named} --comment "why not"</pre>
<h2>Where it was announced</h2>
<p>With the buttons of the Slack message, or by a comment on the pull request, if this gateway has such a channel.</p>
<h2>Over HTTP</h2>
<p><code>POST</code> to this address with <code>/approve</code> or <code>/deny</code> behind it, a key as <code>X-API-Key</code>, and <code>{"reviewer": "…", "comment": "…"}</code> as JSON.</p>
</main>
</body>
</html>
`;
}

const inConsole = (url: string): string => `<h2>In the web console</h2>
<p><a href="${url}" rel="noreferrer">Open the request</a> and sign in with a key of a person.</p>
`;
