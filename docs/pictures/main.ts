import { writeFileSync } from 'node:fs';
import { drawConversation, drawMemory } from './pictures.js';
import { playScene } from './scene.js';

const scene = await playScene();
writeFileSync(new URL('./conversation.svg', import.meta.url), drawConversation(scene));
writeFileSync(new URL('./memory-show.svg', import.meta.url), drawMemory(scene));
