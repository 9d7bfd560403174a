/** Editors: they write the files they open, and run commands from their arguments. */
import type { Family, Profile } from './profile.ts';

const editor = {
  does: 'execute',
  syntax: 'anywhere',
  exact: true,
  flags: '-R -n -v',
  refused: '-c -S -e -s -u -w -W',
  plus: 'refused',
  operands: ['write*'],
} as const satisfies Profile;

export const editors = {
  'vi vim nvim view rvim emacs nano pico joe micro': {
    ...editor,
    refused: '-c -S -e -E -s -u -w -W -Q -x -b -d -p -o -O',
  },
  'ed ex red': { ...editor, refused: '-p -c -e -s', operands: ['write+'] },
} as const satisfies Family;
