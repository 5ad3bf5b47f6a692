// Browser: finds the Chromium that browser tests drive, or installs Debian's.
// Always true: it answers with the path of a program that is there, or throws with a sentence that says what to install.

import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of a browser: the one that `HEDDLE_BROWSER` names, one that is installed, or one that is installed now. */
export async function findBrowser() {
  const named = process.env.HEDDLE_BROWSER;
  if (!named) return findAny() ?? (await installBrowser());
  const found = named.includes(path.sep) ? [named].find(isProgram) : findProgram(named);
  if (found === undefined) throw missing(`there is no ${named}, which HEDDLE_BROWSER names`);
  return found;
}

const findAny = () => names.map(findProgram).find((found) => found !== undefined);

function findProgram(name) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find(isProgram);
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function installBrowser() {
  if (!isDebian() || process.getuid?.() !== 0) throw missing('none was found');
  console.log('browser: installing chromium');
  try {
    await apt('update');
    await apt('install', '-y', '--no-install-recommends', 'chromium');
  } catch (error) {
    throw missing(`apt-get could not install one (${String(error.stderr ?? error.message).trim()})`);
  }
  return findAny() ?? Promise.reject(missing('none was found, even after apt-get installed chromium'));
}

/** Elsewhere the package of this name may be another, which leads to an installer of its own. */
function isDebian() {
  const release = '/etc/os-release';
  return existsSync(release) && /^ID=debian$/m.test(readFileSync(release, 'utf8'));
}

/** Another one may be running: it is waited for. */
function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return promisify(execFile)('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=600', ...args], { env });
}

function missing(why) {
  return new Error(
    `Expected a browser for the browser tests, but ${why}; install chromium, or name a browser in HEDDLE_BROWSER`,
  );
}
