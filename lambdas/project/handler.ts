import { projectPorts } from '../aws-project.ts';
import { createHandler } from './event.ts';

let made: { ports: ReturnType<typeof projectPorts>; handler: ReturnType<typeof createHandler> } | undefined;

export const handler: ReturnType<typeof createHandler> = async (event) => {
  if (!made) {
    const ports = projectPorts();
    made = { ports, handler: createHandler(ports) };
  }
  const { ports, handler: project } = made;
  try {
    return await project(event);
  } finally {
    await ports.telemetry.flush();
  }
};
