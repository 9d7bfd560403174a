/** Provenance of a release from the command line. */
import { Home } from '../../../test/unit/agentctl/support.ts';

const home = new Home();
const ctl = (...args: string[]) => home.run(['supply-chain', ...args]);

test('[supply-chain.provenance] a release is attested and verifies with its bill of materials; a different file, key or bill of materials fails', async () => {
  home.write('release.tgz', Buffer.from('the bytes of a release'));
  home.write('sbom.json', JSON.stringify({ components: [{ name: 'zod' }] }));
  home.write('short.json', JSON.stringify({ components: [] }));
  for (const name of ['release', 'other']) await ctl('keygen', '--out', name);
  const about = ['--release', '1.0.0', '--sbom', 'sbom.json', '--source', 'https://git.example/gateway'];
  const how = ['--commit', 'a'.repeat(40), '--builder', 'https://ci.example/jobs/7', '--signing-key', 'release.key'];
  home.write('provenance.json', (await ctl('attest', 'release.tgz', ...about, ...how)).out);
  const verify = (file: string, root: string, ...more: string[]) =>
    ctl('verify', file, '--root', root, '--provenance', 'provenance.json', ...more);
  const verified = await verify('release.tgz', 'release.pem', '--sbom', 'sbom.json');
  expect([verified.code, verified.out]).toEqual([0, expect.stringContaining(`commit: ${'a'.repeat(40)}`)]);
  const refusals = [
    await verify('release.tgz', 'other.pem'),
    await verify('sbom.json', 'release.pem'),
    await verify('release.tgz', 'release.pem', '--sbom', 'short.json'),
  ];
  expect(refusals.map(({ code, err }) => [code, err])).toEqual([
    [1, expect.stringContaining('unknown_key')],
    [1, expect.stringContaining('digest_mismatch')],
    [1, expect.stringContaining('digest_mismatch')],
  ]);
});
