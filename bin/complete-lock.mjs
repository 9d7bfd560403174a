// Adds optional platform packages that the registry did not serve, and their digests, to package-lock.json, so that
// `npm ci` accepts the lock on every platform. Run it after adding or upgrading a package with platform binaries.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.argv[2] ?? 'package-lock.json';
const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'wasm32'];

const lock = JSON.parse(readFileSync(file, 'utf8'));
let added = 0;

for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '') continue;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (lock.packages[`node_modules/${name}`] || lock.packages[`${path}/node_modules/${name}`]) continue;
    const words = name.split('/').pop().split('-');
    const os = systems.find((system) => words.includes(system));
    const cpu = processors.find((processor) => words.includes(processor));
    if (!os || !cpu || !/^\d/.test(version)) {
      console.error(`left alone: ${path} -> ${name}@${version}`);
      continue;
    }
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(entry.dev && { dev: true }),
      optional: true,
      os: [os],
      ...(os === 'linux' && { libc: [words.includes('musl') ? 'musl' : 'glibc'] }),
    };
    added++;
  }
}

// A package bundled in another one is covered by that package's digest.
const withoutDigest = Object.entries(lock.packages).filter(
  ([path, { integrity, inBundle, link }]) => path !== '' && !integrity && !inBundle && !link,
);
for (const [path, entry] of withoutDigest) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const answer = spawnSync('npm', ['view', `${name}@${entry.version}`, 'dist.integrity'], { encoding: 'utf8' });
  const integrity = answer.stdout.trim();
  if (/^sha512-[A-Za-z0-9+/]+=*$/.test(integrity))
    lock.packages[path] = { version: entry.version, integrity, ...entry };
  else console.error(`no digest available: ${name}@${entry.version}`);
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`added ${added} entries`);
