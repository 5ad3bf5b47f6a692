// Finish: a command answers with its exit code.

export async function finish(command: Promise<number>): Promise<void> {
  process.exitCode = await command;
}
