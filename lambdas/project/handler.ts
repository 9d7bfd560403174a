import { projectPorts } from '../aws-project.ts';
import { door } from './door.ts';

let made: { ports: ReturnType<typeof projectPorts>; handler: ReturnType<typeof door> } | undefined;

export const handler: ReturnType<typeof door> = async (event) => {
  if (!made) {
    const ports = projectPorts();
    made = { ports, handler: door(ports) };
  }
  const { ports, handler: project } = made;
  try {
    return await project(event);
  } finally {
    await ports.telemetry.flush();
  }
};
