"""
A client of the kind the field uses: a task for each session that sleeps until the absolute instant of its packet, JSON
and base64 made for each packet, every message parsed and its audio decoded, a line of the trace for every event. Prints
one JSON line.

    python3 clients/asyncio-client.py '{"url":…,"sessions":…,"seconds":…,"folder":…}'
"""
import array
import asyncio
import base64
import json
import math
import os
import resource
import sys
import time

from websockets.asyncio.client import connect

order = json.loads(sys.argv[1])
SESSIONS, SECONDS, FOLDER = order["sessions"], order["seconds"], order["folder"]
PACKET_S = 0.08
PACKET_SAMPLES = 1280
WARM_UP_S = min(2, SECONDS / 4)
PACKETS = round(SECONDS / PACKET_S)
speech = array.array("h", (round(3000 * math.sin(at / 9)) for at in range(PACKET_SAMPLES * PACKETS))).tobytes()
lateness_ms = []


class Session:
    def __init__(self, index):
        self.trace = open(os.path.join(FOLDER, f"{index}.jsonl"), "w")
        self.is_admitted = asyncio.Event()
        self.is_completed = False

    def record(self, direction, text):
        self.trace.write(f'{{"direction":"{direction}","time_s":{time.monotonic()},"event":{text}}}\n')

    async def open(self):
        self.socket = await connect(order["url"], compression=None, ping_interval=None, max_size=None)
        self.reader = asyncio.create_task(self.read())
        await self.is_admitted.wait()

    async def send(self, event, due_s=None):
        text = json.dumps(event)
        if due_s is not None:
            lateness_ms.append(1000 * (time.monotonic() - due_s))
        await self.socket.send(text)
        self.record("send", text)

    async def read(self):
        async for message in self.socket:
            event = json.loads(message)
            self.record("receive", message)
            if "delta" in event:
                base64.b64decode(event["delta"])
            kind = event["type"]
            if kind == "session.created":
                await self.send({"type": "session.update", "event_id": "u", "session": {}})
            elif kind == "session.updated":
                self.is_admitted.set()
            elif kind == "sglang.input_audio.drained":
                await self.send({"type": "session.close", "event_id": "c"})
            elif kind == "session.closed":
                self.is_completed = True
                break

    async def stream(self, start_s):
        for seq in range(PACKETS):
            due_s = start_s + seq * PACKET_S
            await asyncio.sleep(due_s - time.monotonic())
            chunk = speech[2 * PACKET_SAMPLES * seq : 2 * PACKET_SAMPLES * (seq + 1)]
            audio = base64.b64encode(chunk).decode()
            media = {"seq": seq, "t_start_ms": round(1000 * seq * PACKET_S)}
            await self.send(
                {"type": "input_audio_buffer.append", "event_id": f"a{seq}", "audio": audio, "sglang": media}, due_s
            )
        await asyncio.sleep(start_s + PACKETS * PACKET_S - time.monotonic())
        await self.send({"type": "sglang.input_audio.end", "event_id": "e"})
        await self.reader
        self.trace.close()
        await self.socket.close()


def resident_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


async def main():
    sessions = [Session(index) for index in range(SESSIONS)]
    for at in range(0, SESSIONS, 50):
        await asyncio.gather(*(session.open() for session in sessions[at : at + 50]))
    start_s = time.monotonic() + 0.2
    streams = [
        asyncio.create_task(session.stream(start_s + index * PACKET_S / SESSIONS))
        for index, session in enumerate(sessions)
    ]
    await asyncio.sleep(start_s + WARM_UP_S - time.monotonic())
    cpu_before_s, at_s = time.process_time(), time.monotonic()
    await asyncio.sleep(start_s + SECONDS - time.monotonic())
    cpu_s, lasted_s = time.process_time() - cpu_before_s, time.monotonic() - at_s
    rss_mb = resident_mb() if sys.platform == "linux" else None
    await asyncio.gather(*streams)
    late = sorted(lateness_ms)
    at = lambda share: late[min(len(late) - 1, int(share * len(late)))]
    print(
        json.dumps(
            {
                "sessions": SESSIONS,
                "sends": len(late),
                "lateness_ms": {"p50": at(0.5), "p99": at(0.99), "p999": at(0.999), "max": late[-1]},
                "over_20ms": sum(value > 20 for value in late),
                "early": sum(value < -0.001 for value in late),
                "completed": sum(session.is_completed for session in sessions),
                "cpu_ms_per_session_s": 1000 * cpu_s / (lasted_s * SESSIONS),
                "rss_mb": rss_mb,
                "wall_s": time.monotonic() - start_s,
            }
        )
    )


asyncio.run(main())
