import { programs } from '#core/catalog/tool-names.ts';

const ordered: ReadonlySet<string> = new Set(programs.orders.split(' '));

/** Checks for a program whose plain words are a command and its object rather than paths: `git push`, `npm test`. */
export const takesOrders = (program: string): boolean => ordered.has(program);
