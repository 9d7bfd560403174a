/** The container image definition: its contents and user. The image is not built here. */
import { readFileSync } from 'node:fs';
import packageJson from '#package' with { type: 'json' };

const stages = readFileSync('Dockerfile', 'utf8')
  .split(/^(?=FROM )/m)
  .slice(1);
const final = stages.at(-1)!;

test('[package.installs] the image contains only the package and an empty state directory', () => {
  expect(stages).toHaveLength(2);
  const copied = final.split('\n').filter((line) => /^(COPY|ADD) /.test(line));
  expect(copied).toEqual([
    'COPY --from=package --chown=root:root /src/dist/package /app',
    'COPY --from=package --chown=node:node /state /state',
  ]);
  expect(final).not.toMatch(/^RUN /m);
});

test('[package.installs] the container runs as an unprivileged user, writes only to its volume, and reports its health', () => {
  expect(final).toMatch(/^USER node$/m);
  expect(final).toMatch(/^VOLUME \/state$/m);
  expect(final).toMatch(/^HEALTHCHECK [\s\S]*\/health/m);
  expect(final).toMatch(/^ENTRYPOINT \["node", .*"--state", "\/state"/m);
});

test('[package.installs] [cli.version] the image labels contain the package’s name, version and license', () => {
  for (const [label, value] of Object.entries({
    title: packageJson.name,
    version: packageJson.version,
    licenses: packageJson.license,
  }))
    expect(final).toContain(`org.opencontainers.image.${label}="${value}"`);
});

test('[package.installs] the build uses the repository’s Node version and excludes state and keys', () => {
  for (const stage of stages)
    expect(stage).toMatch(new RegExp(`^FROM node:${packageJson.devDependencies.node}-alpine`));
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.git', '.gateway', 'node_modules', '**/*.pem', '**/.env*']));
});
