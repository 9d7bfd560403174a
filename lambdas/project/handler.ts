import { projectPorts } from '../aws.ts';
import { door } from './door.ts';

let made: ReturnType<typeof door> | undefined;

export const handler: ReturnType<typeof door> = (event) => {
  made ??= door(projectPorts());
  return made(event);
};
