import { playScene } from './scene.js';
const s = await playScene();
process.stdout.write(JSON.stringify({ ...s, gauge: s.gauge.length }, null, 1));
