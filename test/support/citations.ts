/** Citations of behaviours in comments and documents: `[approval.used-once]`. */

/** A section number of a document that readers of the repository do not have. */
export const absentDocument = /\b(?:[Ss]pec|[Cc]ontract) §|\(architecture: /;

/** Ids in brackets that are neither links nor code. */
export const citedIds = (text: string): string[] =>
  [...text.matchAll(/(?<![\w`'"$\])])\[([a-z][a-z0-9-]*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)+)\](?![(\w`])/g)].map(
    ([, id]) => id!,
  );

/** The comments of a program: block comments, and what follows `//` after a blank. */
export function commentsOf(text: string): string {
  const blocks = text.match(/\/\*[\s\S]*?\*\//g) ?? [];
  const lines = text.replace(/\/\*[\s\S]*?\*\//g, '').match(/(?:^|\s)(?:\/\/|#) .*$/gm) ?? [];
  return [...blocks, ...lines].join('\n').replace(/`[^`\n]*`/g, '');
}

/** A document without its code. */
export const proseOf = (text: string): string => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
