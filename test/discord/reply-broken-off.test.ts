import { describe, expect, it } from 'vitest';
import { DeliveryError } from '../../src/discord/shared/delivery-error.js';
import { INTERVAL, replyWorkshop } from './reply-workshop.js';

describe('a reply that breaks off', () => {
  it('keeps what came, adds the remark, drops the button, and rejects with the error', async () => {
    const broken = new Error('model');
    const remarkFor = (error: unknown) => (error === broken ? '(broken off)' : null);
    const { source, deliver, feed, pass, shown } = replyWorkshop({ remarkFor });
    const ended = deliver();
    await feed('half ', 100);
    source.push('an answer');
    source.fail(broken);
    await pass(INTERVAL);
    expect(await ended).toBe(broken);
    expect(shown()).toEqual([{ content: 'half an answer\n-# (broken off)', stoppable: false, file: null }]);
  });

  it('drops the button also when nobody has a remark', async () => {
    const { source, deliver, feed, pass, shown } = replyWorkshop();
    const ended = deliver();
    await feed('half', 100);
    source.fail(new Error('model'));
    await pass(INTERVAL);
    expect(await ended).toBeInstanceOf(Error);
    expect(shown()).toEqual([{ content: 'half', stoppable: false, file: null }]);
  });

  it('shows nothing if nothing was shown, and then says the closing line alone', async () => {
    const plan = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return { nonce: 'n', messageId: null };
    };
    const { channel, source, reply, deliver, feed, pass, shown } = replyWorkshop({
      plan,
      remarkFor: () => '(broken off)',
    });
    const ended = deliver();
    await feed('unseen', 100);
    source.fail(new Error('model'));
    await pass(5 * INTERVAL);
    expect(await ended).toBeInstanceOf(Error);
    expect(channel.requests).toEqual([]);
    const closed = reply.close('The model did not answer; try again.');
    await pass(5 * INTERVAL);
    await closed;
    expect(channel.requests).toMatchObject([{ kind: 'post', posting: { replyTo: 't1' } }]);
    expect(shown()).toEqual([{ content: 'The model did not answer; try again.', stoppable: false, file: null }]);
  });

  it('takes in an error that comes while the first message is being sent', async () => {
    const { channel, source, deliver, feed, pass, shown } = replyWorkshop({ remarkFor: () => '(broken off)' });
    channel.latency = 1_000;
    const ended = deliver();
    await feed('half', 100);
    source.fail(new Error('model'));
    await pass(10_000);
    expect(await ended).toBeInstanceOf(Error);
    expect(shown()).toEqual([{ content: 'half\n-# (broken off)', stoppable: false, file: null }]);
  });

  it('puts the closing line into a message of its own where it does not fit', async () => {
    const { reply, deliver, feed, end, pass, contents } = replyWorkshop();
    const ended = deliver();
    await feed('a'.repeat(1_995), 100);
    await end();
    expect(await ended).toBeNull();
    const closed = reply.close('(The answer reached its limit.)');
    await pass(INTERVAL);
    await closed;
    expect(contents()).toEqual(['a'.repeat(1_995), '(The answer reached its limit.)']);
  });
});

describe('a reply whose messages are deleted', () => {
  it('stops with `gone` when Discord no longer knows the message, and stops reading', async () => {
    const { channel, source, deliver, feed, kinds } = replyWorkshop();
    const ended = deliver();
    await feed('one', 100);
    channel.messages.clear();
    await feed(' two', INTERVAL);
    expect(await ended).toMatchObject({ name: 'DeliveryError', code: 'gone' });
    expect(source.returned()).toBe(true);
    await feed(' three', 10 * INTERVAL);
    expect(kinds()).toEqual(['post', 'edit']);
  });

  it('removes all its messages while it is delivered, also the one being sent', async () => {
    const { channel, reply, deliver, feed, pass, shown, kinds } = replyWorkshop();
    channel.latency = 500;
    const ended = deliver();
    await feed('x'.repeat(3_000), 600);
    expect(kinds()).toEqual(['post', 'post']);
    const removed = reply.remove();
    await pass(10 * INTERVAL);
    await removed;
    expect(await ended).toMatchObject({ code: 'gone' });
    expect(shown()).toEqual([]);
    expect(kinds()).toEqual(['post', 'post', 'remove', 'remove']);
    expect(channel.atOnce).toBe(1);
  });

  it('says nothing more once it was removed', async () => {
    const { reply, deliver, feed, pass, kinds } = replyWorkshop();
    const ended = deliver();
    await feed('one', 100);
    await reply.remove();
    await reply.close('(stopped)');
    await pass(10 * INTERVAL);
    expect(await ended).toMatchObject({ code: 'gone' });
    expect(kinds()).toEqual(['post', 'remove']);
  });

  it('removes the rest when some are gone already', async () => {
    const { channel, reply, deliver, feed, end, shown } = replyWorkshop();
    const ended = deliver();
    await feed('x'.repeat(3_000), 100);
    await end();
    await ended;
    channel.messages.delete('m0');
    await reply.remove();
    expect(shown()).toEqual([]);
  });

  it('tells what could not be removed, after trying all', async () => {
    const { channel, reply, deliver, feed, end, shown } = replyWorkshop();
    const ended = deliver();
    await feed('x'.repeat(3_000), 100);
    await end();
    await ended;
    channel.refuse = (_, id) => (id === 'm0' ? new DeliveryError('no-access') : null);
    await expect(reply.remove()).rejects.toMatchObject({ code: 'no-access' });
    expect(shown()).toHaveLength(1);
  });
});
