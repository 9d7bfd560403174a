/** The package's bill of materials, as CycloneDX 1.6: every package whose code is in the bundle. */
import { readFile } from 'node:fs/promises';

/**
 * @param manifest the project's `package.json`
 * @param inputs files that were bundled
 */
export async function sbomOf(manifest, inputs) {
  const folders = new Set(inputs.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
  const packages = await Promise.all([...folders].map(packageIn));
  const components = new Map(packages.map((each) => [each['bom-ref'], each]));
  const own = refOf(manifest);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', ...packageComponent(manifest) } },
    components: [...components.keys()].sort().map((ref) => components.get(ref)),
    dependencies: [{ ref: own, dependsOn: [...components.keys()].sort() }],
  };
}

const packageIn = async (folder) => ({
  type: 'library',
  ...packageComponent(JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))),
});

const refOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** Describes a package. A licence that is not an SPDX expression is listed by name. */
function packageComponent({ name, version, license }) {
  const ref = refOf({ name, version });
  const said = typeof license === 'string' ? license : license?.type;
  const spdx = typeof said === 'string' && /^[A-Za-z0-9.+() -]+$/.test(said);
  return {
    'bom-ref': ref,
    name,
    version,
    purl: ref,
    ...(said && { licenses: [spdx ? { expression: said } : { license: { name: said } }] }),
  };
}
