// `heddle init`: a new project folder with a workflow, an action and a test that passes, for Node or for Cloudflare.
//
// Always true: nothing that is there is written over.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CommandError, exitCodes } from './command-error.ts';
import { cloudflareFiles } from './init-cloudflare.ts';
import { projectFiles } from './init-project.ts';
import { quoted } from './quoted.ts';
import { output } from './terminal.ts';

export interface InitOptions {
  readonly version: string;
  readonly json?: boolean;
  /** For Durable Objects of Cloudflare. */
  readonly cloudflare?: boolean;
}

export function initCommand(folder: string, { version, json, cloudflare = false }: InitOptions): Promise<number> {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    const message = `Expected a new or empty folder, but ${folder} has files in it`;
    throw new CommandError('FOLDER_NOT_EMPTY', `${message}; name another: npx heddle init FOLDER.`);
  }
  const files = (cloudflare ? cloudflareFiles : projectFiles)(nameOf(folder), version);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  if (json) output.line(JSON.stringify({ folder, files: Object.keys(files) }));
  else {
    output.line(`${folder} is ready: ${Object.keys(files).join(', ')}`);
    output.line();
    output.line(output.paint('bold', 'Try next'));
    output.line(`  cd ${quoted(folder)} && npm install`);
    output.line('  npm test');
    output.line(cloudflare ? '  npm run dev' : '  npm start');
    output.line();
    output.line(
      output.paint(
        'dim',
        `npm install takes heddle ${version} from the npm registry. From a checkout of Heddle, pack it there`,
      ),
    );
    output.line(
      output.paint(
        'dim',
        `(npm pack --workspace heddle), and install the file: npm install PATH/heddle-${version}.tgz`,
      ),
    );
  }
  return Promise.resolve(exitCodes.done);
}

/** As a package may be called. */
function nameOf(folder: string): string {
  const name = path.basename(path.resolve(folder)).toLowerCase();
  return name.replace(/[^a-z0-9-]+/g, '-').replace(/^-+|-+$/g, '') || 'workflows';
}
