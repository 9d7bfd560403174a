/** Kinds of evidence entries. */
export const entryKinds = [
  'allow',
  'block',
  'review',
  'approve',
  'deny',
  'result',
  'chat',
  'admin',
  'credential',
  'vote',
] as const;
export type EntryKind = (typeof entryKinds)[number];
