/** Every family of programs that has profiles, in the order of the reference page. */

import { archivePrograms } from './archives.ts';
import { aws } from './aws.ts';
import { az } from './az.ts';
import { buildTools } from './build-tools.ts';
import type { CommandProgram } from './command-program.ts';
import { filePrograms } from './coreutils-files.ts';
import { textPrograms } from './coreutils-text.ts';
import { docker, nerdctl } from './docker.ts';
import { dockerCompose } from './docker-compose.ts';
import { editors } from './editors.ts';
import { gcloud } from './gcloud.ts';
import { gh } from './gh.ts';
import { helm } from './helm.ts';
import { interpreters } from './interpreters.ts';
import { kubectl } from './kubectl.ts';
import { networkPrograms } from './network.ts';
import type { Family, Profile } from './profile.ts';
import { searchPrograms } from './search.ts';
import { systemPrograms } from './system.ts';
import { terraform } from './terraform.ts';
import { wrapperPrograms } from './wrappers.ts';

export const families: readonly { readonly title: string; readonly programs: Family }[] = [
  { title: 'Texts', programs: textPrograms },
  { title: 'Searching', programs: searchPrograms },
  { title: 'Files', programs: filePrograms },
  { title: 'The system', programs: systemPrograms },
  { title: 'Commands that run commands', programs: wrapperPrograms },
  { title: 'Archives', programs: archivePrograms },
  { title: 'Build tools', programs: buildTools },
  { title: 'Interpreters', programs: interpreters },
  { title: 'Network and containers', programs: networkPrograms },
  { title: 'Editors', programs: editors },
];

/** Each name with its profile. */
export const profiles: ReadonlyMap<string, Profile> = new Map(
  families.flatMap(({ programs }) =>
    Object.entries(programs).flatMap(([names, profile]) => names.split(/\s+/).map((name) => [name, profile] as const)),
  ),
);

/** Programs whose first words are a command of their own. */
export const commandPrograms: ReadonlyMap<string, CommandProgram> = new Map<string, CommandProgram>([
  ['kubectl', kubectl],
  ['helm', helm],
  ['docker', docker],
  ['docker-compose', dockerCompose],
  ['podman', docker],
  ['nerdctl', nerdctl],
  ['terraform', terraform],
  ['tofu', terraform],
  ['gh', gh],
  ['aws', aws],
  ['gcloud', gcloud],
  ['az', az],
]);
