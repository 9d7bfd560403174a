/** Programs in `core/catalog/programs`, by name. */
import { commandProgramsData, familiesData } from '#core/catalog/programs.ts';
import type { CommandProgram, Family, Profile } from '#core/contracts/shell-programs.ts';
import { byName } from '../arguments.ts';

/** Families of programs, in the order of the reference page. */
export const families: readonly { readonly title: string; readonly programs: Family }[] = familiesData;

export const profiles: ReadonlyMap<string, Profile> = new Map(families.flatMap(({ programs }) => byName(programs)));

/** Programs whose first words name a subcommand. */
export const commandPrograms: ReadonlyMap<string, CommandProgram> = new Map(byName(commandProgramsData));
