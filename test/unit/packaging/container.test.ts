/** The container image definition: its contents and user. The image is not built here. */
import { readFileSync } from 'node:fs';
import packageJson from '#package' with { type: 'json' };

const stages = readFileSync('Dockerfile', 'utf8')
  .split(/^(?=FROM )/m)
  .slice(1);
const final = stages.at(-1)!;

test('[package.installs] the image contains only the package and an empty state folder', () => {
  expect(stages).toHaveLength(2);
  const copied = final.split('\n').filter((line) => /^(COPY|ADD) /.test(line));
  expect(copied).toEqual([
    'COPY --from=package --chown=root:root /src/dist/package /app',
    'COPY --from=package --chown=node:node /state /state',
  ]);
  expect(final).not.toMatch(/^RUN /m);
});

test('[package.installs] it runs as an unprivileged user, writes only to its volume, and reports its health', () => {
  expect(final).toMatch(/^USER node$/m);
  expect(final).toMatch(/^VOLUME \/state$/m);
  expect(final).toMatch(/^HEALTHCHECK [\s\S]*\/health/m);
  expect(final).toMatch(/^ENTRYPOINT \["node", .*"--state", "\/state"/m);
});

test('[package.installs] [cli.version] its labels have the package’s name, version and licence', () => {
  for (const [label, value] of Object.entries({
    title: packageJson.name,
    version: packageJson.version,
    licenses: packageJson.license,
  }))
    expect(final).toContain(`org.opencontainers.image.${label}="${value}"`);
});

test('[package.installs] it uses the repository’s Node version, and no state or key gets into the build', () => {
  for (const stage of stages)
    expect(stage).toMatch(new RegExp(`^FROM node:${packageJson.devDependencies.node}-alpine`));
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.git', '.gateway', 'node_modules', '**/*.pem', '**/.env*']));
});
