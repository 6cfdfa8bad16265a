"""The log of format 1: frames, the torn rest of a write, damage and its names; written from FORMAT.md alone."""

from vault_format import (
    BLOCK, DELETE, ECHO, HEAD, INDEX, LARGEST_BODY, LARGEST_COMMIT, LOG_START, SMALLEST_FRAME, VALUE, u,
)
from vault_names import AS_IS, CHANGED_NAME, CHANGED_NONCE, LONGEST_NAME, recover

# So many hashes that nothing else vouches for are searched for with all changes.
MOST_SEARCHES = 32
# So many zeros in a row are no frames.
LONG_ZEROS = 4096
# More frames than this never stood in one file.
MOST_FRAMES = (1 << 40) // SMALLEST_FRAME


class Frame:
    """A frame whose head is authentic."""

    def __init__(self, content, offset):
        head = content[offset : offset + HEAD]
        self.offset = offset
        self.kind = head[4]
        self.end = offset + SMALLEST_FRAME + u(head, 8, 4)
        self.position, self.count = u(head, 12, 4), u(head, 16, 4)
        self.sequence, self.previous = u(head, 24, 8), head[32:40]
        self.name_hash, self.nonce, self.tag = head[40:56], head[56:80], head[80:96]
        self.mac = head[96:104]

    @property
    def commit(self):
        return self.sequence - self.position, self.count


class Entry:
    def __init__(self, kind, offset, end, older):
        self.kind, self.offset, self.end, self.older = kind, offset, end, older

    @property
    def teller(self):
        """The best of this frame and the ones before it for telling the name."""
        return self.older if self.older and self.kind != "value" else self.offset


class Log:
    """Reads a whole log; `published` is the tail that the companion vouches for, or 0."""

    def __init__(self, content, header, keys, published):
        self.content, self.header, self.keys = content, header, keys
        self.published = published
        self.size = len(content)
        self.frames, self.table, self.lost, self.last_loss = 0, {}, 0, 0
        self.torn, self.chain_breaks = None, 0
        self.items = []
        # The name hashes of the items so far.
        self.known, self.learned, self.searches = set(), 0, 0
        self.offset, self.next, self.mac = LOG_START, header.base_sequence + 1, header.log_id[:8]
        self.data_end = self._data_end()
        self._read()
        for item in self.items:
            self._apply(item)

    def _data_end(self):
        used = len(self.content.rstrip(b"\0"))
        if used <= LOG_START:
            return LOG_START
        return min(self.size, LOG_START + (used - LOG_START + BLOCK - 1) // BLOCK * BLOCK)

    def _frame(self, offset):
        head = self.content[offset : offset + HEAD]
        if len(head) < HEAD or head[:4] != b"SCF1" or head[4] not in (VALUE, DELETE, INDEX):
            return None
        body, position, count = u(head, 8, 4), u(head, 12, 4), u(head, 16, 4)
        if body > LARGEST_BODY or body % BLOCK or (body == 0) != (head[4] == DELETE):
            return None
        if not 1 <= count <= 65536 or position >= count:
            return None
        if self.keys.frame_mac(head, self.header.log_id, offset) != head[96:]:
            return None
        return Frame(self.content, offset)

    def _next_frame(self, offset):
        while offset + HEAD <= self.data_end:
            frame = self._frame(offset)
            if frame:
                return frame
            offset += BLOCK
        return None

    def _read(self):
        # The frames of the last commit, where it begins, and how many items come before it.
        run, start, kept = [], None, 0
        place, cut = self.offset, None
        while place < self.data_end:
            frame = self._next_frame(place)
            if not frame:
                break
            if frame.sequence < self.next:
                place = frame.offset + BLOCK
                continue
            if frame.end > self.size:
                cut = frame
                break
            before, count = (self.offset, self.next, self.mac), len(self.items)
            missing = frame.sequence - self.next
            if frame.offset > self.offset or missing:
                self.items.append(self._assess(self.offset, frame.offset, missing))
            elif frame.previous != self.mac:
                self.chain_breaks += 1
            if not run or run[0].commit != frame.commit:
                run, start, kept = [], before, count
                if frame.position == 0:
                    start, kept = (frame.offset, frame.sequence, self.mac), len(self.items)
            run.append(frame)
            self.items.append(frame)
            self.offset, self.next, self.mac = frame.end, frame.sequence + 1, frame.mac
            place = frame.end
        self._settle(run, start, kept, cut)

    def _has_zero_block(self, start, end):
        return any(not any(self.content[at : at + BLOCK]) for at in range(start, end - BLOCK + 1, BLOCK))

    def _is_whole(self, run, start):
        place = start
        for index, frame in enumerate(run):
            if frame.position != index or frame.offset != place:
                return False
            place = frame.end
        return len(run) == run[0].count and not self._has_zero_block(start, place)

    def _later_commit(self, tail, end):
        limit = tail[1] + -(-(end - tail[0]) // SMALLEST_FRAME)
        for at in range(tail[0] + BLOCK, end - 31, BLOCK):
            position, count, sequence = u(self.content, at + 12, 4), u(self.content, at + 16, 4), u(self.content, at + 24, 8)
            if tail[1] + position < sequence < limit and position < count <= 65536:
                return True
        return False

    def _settle(self, run, start, kept, cut):
        tail, keep, lacking = (self.offset, self.next, self.mac), len(self.items), 0
        if run and not self._is_whole(run, start[0]):
            tail, keep = start, kept
            lacking = run[-1].count - run[-1].position - 1
        end = max(self.data_end, self.offset)
        room = self.size - end
        if end == tail[0]:
            is_echoed = not run or self.content[self.offset - ECHO : self.offset] == run[-1].name_hash
            if room < BLOCK or self.published > end and not is_echoed:
                self._tail_damage(end, cut)
            return
        if cut or self.published > tail[0] or end - tail[0] > LARGEST_COMMIT or self._later_commit(tail, end):
            is_torn = False
        elif room < BLOCK:
            last = (end - 1) // BLOCK * BLOCK
            is_torn = tail[0] < last and not any(self.content[tail[0] : last])
        elif end - tail[0] < SMALLEST_FRAME or end - self.offset < lacking * SMALLEST_FRAME:
            is_torn = True
        else:
            is_torn = self._has_zero_block(tail[0], end)
        if is_torn:
            del self.items[keep:]
            self.offset, self.next, self.mac = tail
            self.torn = (tail[0], end)
        elif self.offset < max(end, self.published) or room < BLOCK:
            self._tail_damage(end, cut)

    def _tail_damage(self, end, cut):
        damage = self._assess(self.offset, end, None)
        if self.size - end < BLOCK and self.offset < end:
            damage["lost"] += 1
        self.items.append(damage)
        self.next += damage["lost"] + sum(piece[2] is not None for piece in damage["frames"])
        self.offset = (end + BLOCK - 1) // BLOCK * BLOCK
        if cut:
            self.offset, self.next = max(self.offset, cut.end), max(self.next, cut.sequence + 1)

    def _assess(self, start, end, missing):
        self._learn()
        damage = {"end": end, "frames": [], "lost": 0}
        offset, found, behind_zeros = start, 0, False
        while offset + SMALLEST_FRAME <= end and (missing is None or found < missing):
            zeros = end - offset - len(self.content[offset:end].lstrip(b"\0"))
            if zeros >= LONG_ZEROS:
                offset += min(zeros, end - SMALLEST_FRAME - offset) // BLOCK * BLOCK
                behind_zeros = True
                continue
            head = self.content[offset : offset + HEAD]
            in_place = u(head, 24, 8) == self.next + found or (found == 0 and head[32:40] == self.mac)
            is_only = missing is not None and missing - found == 1
            length, name_hash, may_hide = self._identify(head, offset, end, in_place, is_only, missing is None)
            damage["frames"].append((offset, offset + length, name_hash))
            damage["lost"] += (name_hash is None) + (may_hide or (behind_zeros and not in_place and missing is None))
            behind_zeros = False
            offset += length
            found += 1
        if found == 0 and missing != 0 and 56 <= end - start < SMALLEST_FRAME:
            head = self.content[start:end].ljust(HEAD, b"\0")
            in_place = u(head, 24, 8) == self.next or head[32:40] == self.mac
            if in_place and self._vouch(head[40:56], start, end - start):
                damage["frames"].append((start, end, head[40:56]))
                damage["lost"] += missing is None
                found = 1
        if missing is not None:
            damage["lost"] += missing - found
        elif found == 0:
            damage["lost"] += 1
        return damage

    def _identify(self, head, offset, end, in_place, is_only, is_last):
        """How long the piece at a place is, whose it was, None where nothing vouches, and whether it may hide more."""
        room = end - offset
        body, claim = u(head, 8, 4), head[40:56]
        told = body + SMALLEST_FRAME if body <= LARGEST_BODY and body % BLOCK == 0 else None
        tried = room if is_only else told if told and told <= room else None
        stated = tried if tried and (tried == room or room - tried >= SMALLEST_FRAME) else None

        def echo(length):
            return self.content[offset + length - ECHO : offset + length]

        is_cut = in_place and is_last and told is not None and told > room
        if is_cut and echo(room) != claim and self._vouch(claim, offset, room):
            return room, claim, True
        for length in sorted({tried or room, room}):
            witness = echo(length)
            if length != tried and stated and claim != witness:
                continue
            if not in_place and claim == witness and (0 < u(head, 24, 8) < self.next + MOST_FRAMES or not any(claim)):
                continue
            if self._vouch(witness, offset, length):
                return length, witness, is_last and not stated and claim != witness
        length = stated or room
        if in_place and self._vouch(claim, offset, length):
            return length, claim, False
        return length, None, False

    def _learn(self):
        for item in self.items[self.learned :]:
            if isinstance(item, Frame):
                if item.kind != INDEX:
                    self.known.add(item.name_hash)
            else:
                self.known.update(piece[2] for piece in item["frames"] if piece[2] is not None)
        self.learned = len(self.items)

    def _vouch(self, name_hash, offset, length):
        """Whether an entry of that hash is known, or the name itself decrypts under it."""
        if name_hash in self.known:
            return True
        self.searches += 1
        effort = CHANGED_NONCE if self.searches <= MOST_SEARCHES else AS_IS
        return self._name_at(offset, length, name_hash, effort) is not None

    def _apply(self, item):
        if isinstance(item, Frame):
            self.frames += 1
            if item.kind != INDEX:
                self._put(item.name_hash, "value" if item.kind == VALUE else "delete", item.offset, item.end)
            return
        for offset, end, name_hash in item["frames"]:
            if name_hash is not None:
                self._put(name_hash, "damaged", offset, end)
        self.lost += item["lost"]
        if item["lost"]:
            self.last_loss = max(self.last_loss, item["end"])

    def _put(self, name_hash, kind, offset, end):
        before = self.table.get(name_hash)
        self.table[name_hash] = Entry(kind, offset, end, before.teller if before else 0)

    def read(self):
        """The entries that open, and the names of the others, None where nothing tells it."""
        entries, omitted = {}, []
        for name_hash, entry in self.table.items():
            if entry.kind == "delete":
                continue
            found = None
            if entry.kind == "value":
                frame = Frame(self.content, entry.offset)
                sealed = self.content[frame.offset + HEAD : frame.end - ECHO]
                found = self.keys.open_box(frame.nonce, frame.tag, sealed, name_hash)
            if found:
                entries[found[0]] = found[1]
            else:
                omitted.append(self._name(entry, name_hash))
        return entries, omitted

    def _name(self, entry, name_hash):
        places = [(entry.offset, entry.end - entry.offset)] + [(entry.older, self.size)] * (entry.older > 0)
        for effort in (AS_IS, CHANGED_NAME if entry.kind == "value" else CHANGED_NONCE):
            for offset, room in places:
                if found := self._name_at(offset, room, name_hash, effort):
                    return found
        return None

    def _name_at(self, offset, room, name_hash, effort):
        end = min(offset + room, offset + HEAD + 6 + LONGEST_NAME, self.size)
        if end < offset + HEAD + 6:
            return None
        nonce = self.content[offset + 56 : offset + 80]
        return recover(self.keys, nonce, self.content[offset + HEAD : end], name_hash, effort)
