/** `git`: its global options, and a profile for each of its commands. */

import type { Profile } from '#core/contracts/shell-programs.ts';
import { changingCommands } from './git/changing-commands.ts';
import type { GitCommand } from './git/options.ts';
import { readingCommands } from './git/reading-commands.ts';

/** Options before the command. */
export const gitGlobals = {
  does: 'read',
  syntax: 'stops',
  exact: true,
  flags: `-v -P -h --no-pager --no-replace-objects --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs
    --no-optional-locks --html-path --man-path --info-path --no-lazy-fetch --no-advice`,
  values: {
    folder: '-C',
    gitSetting: '-c',
    unread: '--git-dir --work-tree --namespace --super-prefix --config-env --attr-source',
  },
  attached: { unread: '--exec-path' },
  refused: '-p --paginate',
  operands: ['word*'],
} as const satisfies Profile;

/** Profile of each command, or of several commands that share one. */
export const gitCommands: Readonly<Record<string, GitCommand>> = { ...readingCommands, ...changingCommands };
