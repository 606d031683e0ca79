import { execFileSync } from 'node:child_process';

/** Builds `dist/` once per test run: the worker thread and the end-to-end tests run what users run. */
export default function build(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
}
