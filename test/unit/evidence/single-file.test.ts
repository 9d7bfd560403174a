/** A session as one HTML file, whatever it contains. */
import { createHash } from 'node:crypto';
import { singleFile } from '#core/evidence/single-file.ts';

const hostile = '</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)>';
const bundle = JSON.stringify({
  format: 'agent-governance-gateway/session-bundle@1',
  manifest: { session_id: hostile, tenant: 'acme', total_entries: 1, counts: {}, policy_versions: [], credentials: [] },
  entries: [],
  public_key: hostile,
});
async function whole(text: string, script: string): Promise<string> {
  let page = '';
  for await (const piece of singleFile(text, script)) page += piece;
  return page;
}

test('[evidence.single-file] the page runs only its own verifier, loads nothing, and renders no session text as markup', async () => {
  const script = 'document.title;';
  const page = await whole(bundle, script);
  expect(page.match(/<script/g)).toHaveLength(2);
  expect(page.match(/<\/script>/g)).toHaveLength(2);
  expect(page).not.toMatch(/<img|<!--|<link/);
  const digest = createHash('sha256').update(script).digest('base64');
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${digest}'"`);
  const inside = /id="bundle">([^<]*)<\/script>/.exec(page)?.[1] ?? '';
  expect(JSON.parse(inside)).toEqual(JSON.parse(bundle));
});

test.each(['a</script>', 'a<!--b', 'a</SCRIPT'])(
  '[evidence.single-file] a script that would close its own element is rejected: %s',
  async (script) => {
    await expect(whole(bundle, script)).rejects.toThrow('cannot be embedded in a page');
  },
);
