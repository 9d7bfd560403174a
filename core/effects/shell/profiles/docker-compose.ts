/** `docker-compose`: the commands of `docker compose` under a name of their own. */
import type { CommandProgram } from './command-program.ts';
import { docker } from './docker.ts';

const { compose = {} } = docker.groups ?? {};
const before = 'compose ';

export const dockerCompose: CommandProgram = {
  syntax: docker.syntax,
  ...compose,
  values: { ...compose.values, unread: '-H --host --tlscacert --tlscert --tlskey -c --context' },
  refused: '--tls --tlsverify --skip-hostname-check',
  commands: Object.fromEntries(
    Object.entries(docker.commands)
      .filter(([commands]) => commands.startsWith(before))
      .map(([commands, command]) => [commands.replaceAll(before, ''), command]),
  ),
};
